"""`kaneflex doctor`."""

import click

from kaneflex.cli.group import main
from kaneflex.cli.output import print_json


@main.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def doctor(as_json: bool) -> None:
    """Show versions, processor, the state of the kernel cache, and which optional packages are missing."""
    from kaneflex.doctor import examine, report

    findings = examine()
    if as_json:
        print_json(findings)
    else:
        click.echo("\n".join(report(findings)))
