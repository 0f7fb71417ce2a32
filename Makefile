# make demo   set up, run the starter benchmark, serve the leaderboard    make demo MODEL=smollm2  with a small language model
# make test   set up and run the tests                                    make check     lint, types, floors, coverage, audit
# make test-long   the long budgets (kills, fuzz, simulations)            make golden    refresh golden files
# make bench  print every benchmark                                       make setup     only set up

MODEL ?=
PYTHON := .venv/bin/python
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: setup demo test check static test-long golden bench clean

setup:
	@tools/setup.sh test

demo:
	@tools/setup.sh $(if $(MODEL),model,demo)
	@$(PYTHON) tools/demo.py $(if $(MODEL),--model $(MODEL),)

test: setup
	$(PYTHON) -m pytest -n 2 -m "not long and not live and not gpu"

static:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports --no-cache

check: setup static
	$(PYTHON) -m pytest -n 2 -m "not long and not live and not gpu" --cov --cov-report=term:skip-covered
	@tools/audit.sh

test-long: setup
	$(PYTHON) -m pytest -n 2 -m "long and not live and not gpu"

golden: setup
	SEAWALL_GOLDEN=refresh $(PYTHON) -m pytest -n 2 -m "not long and not live and not gpu" -k golden

bench: setup
	@for name in $$($(PYTHON) -m benchmarks); do $(PYTHON) -m benchmarks $$name --json; done

clean:
	rm -rf .venv .venv-harness .venv-space .venv-demo-model .venv-shims .uv .seawall
