"""`python -m kaneflex.cli` is the command `kaneflex`."""

from kaneflex.cli import main

if __name__ == "__main__":
    main(prog_name="kaneflex")
