"""Break one term at a time and ask whether a gallery system notices: `make mutants`; with words, only terms that have them.

The table goes to docs/mutants.md: rows of terms that were not tried stay. What is compiled stays in build/mutants.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutants.breeding import NUMBER, breed
from mutants.table import Outcome, write_table
from mutants.terms import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutants"
LONGEST = 120.0  # s, after which a run counts as one that does not end


def look(command: str, number: int) -> str:
    """What a gallery system says with a mutant: nothing when all is well."""
    places = {"PYTHONPATH": str(BUILD / "src"), "KANEFLEX_CACHE": str(BUILD / "cache"), NUMBER: str(number)}
    words = [sys.executable, "-m", "kaneflex.cli", "run", *command.split(), "--json"]
    longest = LONGEST if number else None  # the package as it is may have to be compiled
    try:
        done = subprocess.run(
            words, env=os.environ | places, cwd=BUILD, capture_output=True, text=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        return f"does not end in {LONGEST:g} s"
    try:
        found = json.loads(done.stdout)
    except json.JSONDecodeError:
        return f"stops: {(done.stderr.strip().splitlines() or ['without a word'])[-1]}"
    if found["status"] not in ("done", "event"):
        return f"stops: {found['message']}"
    failed = [check["name"] for check in found["checks"] if not check["ok"]]
    if failed:
        return f"{failed[0]} ({len(failed)} of {len(found['checks'])} checks)"
    return "" if found["audit"]["ok"] else "audit"


def commit_of_sources() -> str:
    """The commit that src is of, with + where it differs."""
    git = lambda *words: subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    commit = git("log", "-1", "--format=%h", "--", "src").stdout.strip() or "–"
    return commit + "+" * bool(git("diff", "--quiet", "HEAD", "--", "src").returncode)


def ask(mutant: Mutant, number: int) -> dict[str, str]:
    """What systems say of a mutant, one after the other until one notices."""
    found: dict[str, str] = {}
    for command in mutant.systems:
        found[command] = look(command, number)
        if found[command]:
            break
    return found


def main(words: list[str]) -> int:
    """Try the mutants whose terms have one of the words in them, or all."""
    breed(ROOT / "src", BUILD / "src", MUTANTS)
    chosen = {k: m for k, m in enumerate(MUTANTS, 1) if not words or any(w.lower() in m.term.lower() for w in words)}
    outcomes, sources = [], commit_of_sources()
    for command in dict.fromkeys(c for m in chosen.values() for c in m.systems):
        if says := look(command, 0):
            print(f"kaneflex run {command} fails as it is: {says}", file=sys.stderr)
            return 1
    for number, mutant in chosen.items():
        began = time.monotonic()
        outcomes.append(outcome := Outcome(mutant, ask(mutant, number), sources))
        print(f"{outcome.verdict}: {mutant.term} ({time.monotonic() - began:.0f} s)", flush=True)
        for command, says in outcome.found.items():
            print(f"    {command}: {says or 'passes'}", flush=True)
        write_table(ROOT / "docs" / "mutants.md", outcomes)
    survivors = sum(o.verdict == "survives" for o in outcomes)
    print(f"{len(outcomes)} terms broken, {len(outcomes) - survivors} noticed, {survivors} not")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
