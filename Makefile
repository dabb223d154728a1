# The front door.  `make demo` and `make test` set up all they need.

BUILD := build
SANITIZED := build-sanitized
SANITIZERS := -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=2 -Ddebug=false -Dc_args=-g1

.PHONY: all demo test test-cost test-theory test-docs test-studies test-sanitized test-serve test-page test-clusters test-python wheel test-wheel test-bare data figures theory compare bench bench-gaussian bench-sources bench-study bench-serve study-kill mutants lint format install clean setup setup-test setup-lint

all: setup
	@tools/configure $(BUILD)
	@ninja -C $(BUILD)

setup:
	@tools/setup build

setup-test:
	@tools/setup build test

setup-lint:
	@tools/setup build lint

# Error against attributes bought for aerr, aelr and aer, on data made here.
demo: setup
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet scant demo/digits
	@demo/run $(BUILD)

# Every test; then those in C but for studies again under the address and
# undefined-behaviour sanitizers; then those of the Python package, installed by pip.
test: setup-test
	@tools/configure $(BUILD)
	@tools/configure $(SANITIZED) $(SANITIZERS)
	@ninja -C $(BUILD) --quiet
	@ninja -C $(SANITIZED) --quiet
	@tools/test $(BUILD) $(SANITIZED)

# Instructions under callgrind, of examples and of studies with many attributes (two minutes).
test-cost: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet
	@status=0; meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite cost --logbase cost || status=1; \
	  python3 tools/count_tests.py $(BUILD)/meson-logs/cost.json && exit $$status

# Theorems 3.1 and 3.4 on the family where they say something (a minute of arithmetic).
test-theory: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet
	@status=0; meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite theory --logbase theory || status=1; \
	  python3 tools/count_tests.py $(BUILD)/meson-logs/theory.json && exit $$status

# What the pages show is what happens: their commands and their Python, run as they are printed.
# SCANT_DATA=FOLDER runs those too that need its data sets.
test-docs: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet
	@tools/test-python $(BUILD) --only-install
	@tools/test_docs.py $(BUILD) --python $(BUILD)/python-environment/bin/python

# The page in a real browser (Debian's chromium, with Playwright and axe): a clinic day by mouse, by keyboard and on a phone,
# lost connections, races, tokens that are revoked (some three minutes).
# `make test-page` skips them, and says so, where there is no chromium; `tools/test-page build day` runs some of them.
test-page: setup
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet scant
	@tools/test-page $(BUILD)

# Fits on Dask and on Spark: the same bits as in one process, workers that are killed, estimators (some six minutes).
# `make test-clusters` skips, and says so, what Java or a package is missing for; `tools/test-clusters build -k dask` runs
# some of them.
test-clusters: setup
	@tools/configure $(BUILD)
	@tools/test-clusters $(BUILD)

# Those of the Python package alone.
test-python: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet
	@tools/test-python $(BUILD)

# A wheel in build/wheels that runs without a compiler and without a LAPACK on the system.
wheel: setup
	@tools/wheel $(BUILD)

# The tests of the Python package with that wheel, in an empty environment (some two minutes).
test-wheel: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet scant
	@tools/wheel $(BUILD)
	@tools/test-wheel $(BUILD)

# pip install '.[sklearn]' in a new Debian 12 with python3-venv and a compiler alone; needs root and debootstrap.
test-bare:
	@tools/test-bare

# MNIST, for what is worth trying on real images; kept in data/, never committed.
data:
	@tools/data

# The paper's two figures on MNIST, into figures/ (some ten minutes on 2 cores), and
# the error against attributes per prediction (more than a minute of a core a split).
figures: all data
	@$(BUILD)/scant-lab lasso --data data/mnist
	@$(BUILD)/scant-lab ridge --data data/mnist
	@$(BUILD)/scant-lab few --data data/mnist

# The theorems as experiments, into figures/ (some four minutes on 2 cores).
theory: all
	@$(BUILD)/scant-lab scaling
	@$(BUILD)/scant-lab lower-bound
	@$(BUILD)/scant-lab svr

# The full-information references against scikit-learn (minutes).
compare: all
	@tools/compare $(BUILD)

# Instructions per example against d (callgrind); the time of an example beside its
# limit and beside scikit-learn, with figures/bench.json, .md and .svg (some seven
# minutes in all).
bench: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD)
	@lab/bench/cost $(BUILD)
	@lab/bench/time $(BUILD)

# The time of gaussian against d and K, and against the examples that share a look (twenty minutes).
bench-gaussian: all
	@lab/bench/gaussian $(BUILD)
	@lab/bench/blocks-speed $(BUILD)

# Durable pairs of ask and tell a second beside bare SQLite (seconds).
bench-study: all
	@lab/bench/study $(BUILD)

# Studies, whole: every write, sync and allocation fails once, 2,000 random operations of every algorithm, kill -9 at
# a thousand random moments (some ten minutes).
test-studies: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet
	@tools/test-studies $(BUILD)

# The tests of studies and of the command under the sanitizers.
test-sanitized: setup-test
	@tools/configure $(SANITIZED) $(SANITIZERS)
	@ninja -C $(SANITIZED) --quiet
	@tools/test-sanitized $(SANITIZED)

# Many clients of `scant serve` for a minute, with auto and with gaussian (minutes).
bench-serve: all
	@lab/bench/serve $(BUILD)

# The service, whole: 200 clients for a minute, kill -9 of the server 200 times under load, memory over a million
# requests, and a million requests of mutated bytes under the sanitizers (some ten minutes).
test-serve: setup-test
	@tools/configure $(BUILD)
	@tools/configure $(SANITIZED) $(SANITIZERS)
	@ninja -C $(BUILD) --quiet
	@ninja -C $(SANITIZED) --quiet
	@tools/test-serve $(BUILD) $(SANITIZED)

# kill -9 at a thousand random moments, at as many within groups of calls, and at as many while files of version 1 are taken over (minutes).
study-kill: all
	@SCANT_STUDY_KILLS=1000 $(BUILD)/study/tests/study_kill_test
	@SCANT_STUDY_KILLS=1000 $(BUILD)/study/tests/study_kill_groups_test
	@SCANT_STUDY_KILLS=1000 $(BUILD)/study/tests/study_kill_upgrade_test

# A fit against pandas and scikit-learn reading the same file, and one of a file
# of 20 GiB (sparse; minutes).
bench-sources: all
	@lab/bench/sources $(BUILD)

# The code broken on purpose, one small fault at a time: which test notices?  (Some
# ten minutes on 2 cores; `tools/mutants/run --only 'study-*'` for some of them.)
mutants: setup-test
	@mkdir -p $(BUILD)
	@tools/mutants/run --table $(BUILD)/mutants.md

lint: setup-lint
	@tools/configure $(BUILD)
	@ninja -C $(BUILD)
	@tools/lint $(BUILD)

format: setup-lint
	@clang-format -i $$(git ls-files '*.c' '*.h')

install: all
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) $(SANITIZED)
