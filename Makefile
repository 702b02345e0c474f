# make demo   run the double pendulum and write its report
# make test   lint, type check and all tests but the heaviest
# make check  the quick half of these
# make thorough   the heaviest tests: large random sweeps, long comparisons
# make lowest   the quick tests with the lowest versions of dependencies that are allowed
# make docs     the pages; make gallery first, for reports to play in them
# make mutants   break one term of the equations at a time: does a gallery system notice? table in docs/mutants.md
# All need only Python 3.11 or newer: everything else goes into .venv.

SHELL  := /bin/bash
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check
DEMO   := build/demo

# Set PYTHON to choose the interpreter; otherwise the first of these that runs and is new enough.
PYTHON     ?=
CANDIDATES := python3.13 python3.12 python3.11 python3 python

.PHONY: help demo test check thorough lowest mutants lint compile docs gallery bench viewer clean
help:
	@echo "make demo | test | check | thorough | lowest | mutants | lint | docs | gallery | bench | viewer | clean"

demo: $(VENV)/.installed-core
	$(BIN)/kaneflex run double-pendulum --out $(DEMO)
	@for page in $(DEMO)/*.html; do if [ -e "$$page" ]; then echo "Report: $$page (open it in a browser)"; fi; done

# Kernels compile while the sources are looked at; a second run finds them compiled.
test: $(VENV)/.installed-test
	@$(MAKE) --no-print-directory -j2 lint compile
	$(BIN)/python -m pytest

check: lint
	$(BIN)/python -m pytest -m "not slow and not thorough"

compile: $(VENV)/.installed-test
	@$(BIN)/kaneflex compile

thorough: $(VENV)/.installed-test
	KANEFLEX_SWEEPS=many $(BIN)/python -m pytest -m "thorough or sweep"

# What is not there is skipped: the tests of kaneflex itself, not of its extras.
lowest: $(VENV)-lowest/.installed
	$(VENV)-lowest/bin/python -m pytest -m "not slow and not thorough" --ignore tests/meta $(LOWEST)

# WORDS="rolling free" tries terms with one of these words alone.
mutants: $(VENV)/.installed-test
	$(BIN)/python tests/mutants/run.py $(WORDS)

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	@echo "Pages: build/docs/index.html"

# Every system of the gallery: build/gallery/index.html, and in the pages of the next `make docs`.
gallery: $(VENV)/.installed-core
	$(BIN)/kaneflex run all --out build/gallery

# The script of report pages is kept built, so that nobody needs Node.js but who changes it.
viewer:
	cd viewer && npm ci --ignore-scripts --no-audit --no-fund && npm run -s build

bench: $(VENV)/.installed-oracles
	$(BIN)/kaneflex bench rigid

clean:
	rm -rf $(VENV) $(VENV)-lowest build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up. A stamp file per set of dependencies, so that a second run installs nothing.
$(VENV)/.created:
	@for python in $(or $(PYTHON),$(CANDIDATES)); do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "kaneflex needs Python 3.11 or newer; none of these is: $(or $(PYTHON),$(CANDIDATES))." >&2; \
	  echo "Install one, or name it: make PYTHON=/path/to/python ..." >&2; exit 1; \
	fi; \
	echo "Creating $(VENV) with $$("$$found" --version)"; \
	if ! "$$found" -m venv --clear $(VENV); then \
	  echo "$$found cannot create a virtual environment (on Debian and Ubuntu: the package python3-venv)." >&2; \
	  rm -rf $(VENV); exit 1; \
	fi
	@touch $@

$(VENV)/.installed-core: pyproject.toml $(VENV)/.created
	@echo "Installing kaneflex (a minute or two the first time)"
	@$(PIP) -e .
	@touch $@

$(VENV)/.installed-test: pyproject.toml $(VENV)/.created
	@echo "Installing kaneflex with all that its tests need (a few minutes the first time)"
	@$(PIP) -e '.[test]'
	@touch $(VENV)/.installed-core $(VENV)/.installed-docs $(VENV)/.installed-oracles $@

$(VENV)-lowest/.installed: pyproject.toml $(VENV)/.created
	$(BIN)/python -m venv --clear $(VENV)-lowest
	$(BIN)/python scripts/lowest-versions > $(VENV)-lowest/lowest.txt
	$(VENV)-lowest/bin/python -m pip install -qq --disable-pip-version-check -e . -c $(VENV)-lowest/lowest.txt pytest pytest-xdist hypothesis
	@touch $@

$(VENV)/.installed-docs $(VENV)/.installed-oracles: $(VENV)/.installed-%: pyproject.toml $(VENV)/.created
	@echo "Installing kaneflex[$*]"
	@$(PIP) -e '.[$*]'
	@touch $(VENV)/.installed-core $@
