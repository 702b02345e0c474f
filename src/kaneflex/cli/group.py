"""The group that all commands belong to, and how it says what went wrong."""

import sys
from typing import Any

import click

from kaneflex import __version__

FAILED, BAD_INPUT = 1, 2


class InputError(click.ClickException):
    """Something on the command line cannot be right."""

    exit_code = BAD_INPUT


def _seen(text: str) -> str:
    """A text without what a terminal would take for a command."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


class OneLineErrors(click.Group):
    """A group whose errors are one line each, without the usage text."""

    def main(self, args: Any = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run, and turn every error of the command line into one line on standard error."""
        extra["standalone_mode"] = False
        try:
            result = super().main(args, prog_name, **extra)
        except click.ClickException as e:
            click.echo(f"kaneflex: {_seen(' '.join(e.format_message().split()))}", err=True)
            sys.exit(e.exit_code)
        except click.Abort:
            click.echo("kaneflex: interrupted", err=True)
            sys.exit(130)
        sys.exit(result if isinstance(result, int) else 0)


@click.group(cls=OneLineErrors, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kaneflex", message="%(prog)s %(version)s", help="Show the version and exit.")
@click.pass_context
def main(context: click.Context) -> None:
    """Multibody dynamics by Kane's method.

    Exit status: 0 for success, 1 when a check or the audit fails, 2 for bad input.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


__all__ = ["BAD_INPUT", "FAILED", "InputError", "main"]
