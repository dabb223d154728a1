# The front door.  `make demo` and `make test` set up all they need.

BUILD := build
SANITIZED := build-sanitized
SANITIZERS := -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=2 -Ddebug=false -Dc_args=-g1

# Ninja and the test programs take all cores themselves.
.NOTPARALLEL:

.PHONY: all lab demo configure test test-fresh test-cost test-theory test-docs test-studies test-sanitized test-serve test-soak test-page test-clusters test-python test-paper test-core test-dense test-study test-command test-lab test-tools wheel test-wheel test-bare hostile data figures theory compare bench bench-gaussian bench-sources bench-study bench-serve study-kill mutants lint format install clean setup setup-test setup-lint

# The command and the libraries.
all: setup
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) products

# The laboratory: build/scant-lab and the programs of lab/bench.
lab: setup
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet products lab

setup:
	@tools/setup build

setup-test:
	@tools/setup build test

setup-lint:
	@tools/setup build lint

# Error against attributes bought for five algorithms, on data made here.
demo: setup
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet scant demo/digits
	@demo/run $(BUILD)

# The tests of all products; most of them again under the address and undefined-behaviour
# sanitizers; then those of the Python package, installed by pip.
test: setup-test configure
	@tools/test $(BUILD) $(SANITIZED) plain sanitized python

# The tests of one product, in the plain build.
test-paper test-core test-dense test-study test-command test-lab test-tools: setup-test configure
	@tools/test $(BUILD) $(SANITIZED) --suite=$(@:test-%=%)

configure:
	@tools/configure $(BUILD)
	@tools/configure $(SANITIZED) $(SANITIZERS)

# `make demo` and `make test` in a new Debian 12, as a newcomer gives them; needs root and debootstrap (some fifteen minutes).
test-fresh:
	@tools/fresh $(BUILD)

# `make test` on a machine that is busy and configured otherwise (an hour; `tools/hostile --only python` for a part of it).
hostile:
	@tools/hostile

# Instructions under callgrind, of examples and of studies with many attributes (two minutes).
test-cost: setup-test configure
	@tools/test $(BUILD) $(SANITIZED) cost

# Theorems 3.1 and 3.4 on the family where they say something (a minute of arithmetic).
test-theory: setup-test configure
	@tools/test $(BUILD) $(SANITIZED) theory

# What the pages show is what happens: their commands and their Python, run as they are printed.
# SCANT_DATA=FOLDER runs those too that need its data sets.
test-docs: setup-test lab
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
	@ninja -C $(BUILD) --quiet scant
	@tools/test-python $(BUILD)

# A wheel in build/wheels that runs without a compiler and without a LAPACK on the system.
wheel: setup
	@tools/wheel $(BUILD)

# Those tests of the Python package with that wheel that depend on how it was built (a minute).
test-wheel: setup-test
	@tools/configure $(BUILD)
	@ninja -C $(BUILD) --quiet scant
	@tools/wheel $(BUILD)
	@tools/test-wheel $(BUILD)

# pip install '.[sklearn]' in a new Debian 12 with python3-venv and a compiler alone; needs root and debootstrap.
test-bare:
	@tools/test-bare $(BUILD)

# MNIST, for what is worth trying on real images; kept in data/, never committed.
data:
	@tools/data

# The paper's two figures on MNIST, into figures/ (some ten minutes on 2 cores), and
# the error against attributes per prediction (more than a minute of a core a split).
figures: lab data
	@$(BUILD)/scant-lab lasso --data data/mnist
	@$(BUILD)/scant-lab ridge --data data/mnist
	@$(BUILD)/scant-lab few --data data/mnist

# The theorems as experiments, into figures/ (some four minutes on 2 cores).
theory: lab
	@$(BUILD)/scant-lab scaling
	@$(BUILD)/scant-lab lower-bound
	@$(BUILD)/scant-lab svr

# The full-information references against scikit-learn (minutes).
compare: lab
	@ninja -C $(BUILD) --quiet dense/tests/full_cli
	@tools/compare $(BUILD)

# Instructions per example against d (callgrind); the time of an example beside its
# limit and beside scikit-learn, with figures/bench.json, .md and .svg (some seven
# minutes in all).
bench: lab
	@lab/bench/cost $(BUILD)
	@lab/bench/time $(BUILD)

# The time of gaussian against d and K, and against the examples that share a look (twenty minutes).
bench-gaussian: lab
	@lab/bench/gaussian $(BUILD)
	@lab/bench/gaussian $(BUILD) --blocks

# Durable pairs of ask and tell a second beside bare SQLite (seconds).
bench-study: lab
	@lab/bench/study $(BUILD)

# Studies, whole: every write, sync and allocation fails once, 2,000 random operations of every algorithm, kill -9 at
# a thousand random moments (minutes).
test-studies: setup-test configure
	@tools/test $(BUILD) $(SANITIZED) studies

# The tests of studies and of the command under the sanitizers.
test-sanitized: setup-test configure
	@tools/test $(BUILD) $(SANITIZED) commands

# Many clients of `scant serve` for a minute, with auto and with gaussian (minutes).
bench-serve: lab
	@lab/bench/serve $(BUILD)

# The service under load, killed, and given mutated bytes under the sanitizers: more of each than `make test` (five minutes).
test-serve: setup-test configure
	@tools/test-serve $(BUILD) $(SANITIZED)

# And most of each: 200 clients for a minute, kill -9 of the server 200 times under load, memory over a million requests,
# and a million requests of mutated bytes (some fifteen minutes).
test-soak: setup-test configure
	@tools/test-serve $(BUILD) $(SANITIZED) --soak

# kill -9 at a thousand random moments, and at as many within groups of calls (minutes).
study-kill: lab
	@ninja -C $(BUILD) --quiet study/tests/study_kill_test study/tests/study_kill_groups_test
	@SCANT_STUDY_KILLS=1000 $(BUILD)/study/tests/study_kill_test
	@SCANT_STUDY_KILLS=1000 $(BUILD)/study/tests/study_kill_groups_test

# A fit against pandas and scikit-learn reading the same file, and one of a file
# of 20 GiB (sparse; minutes).
bench-sources: lab
	@lab/bench/sources $(BUILD)

# The code broken on purpose, one small fault at a time: which test notices?  (Some
# ten minutes on 2 cores; `tools/mutants/run --only 'study-*'` for some of them.)
mutants: setup-test
	@mkdir -p $(BUILD)
	@tools/mutants/run --table $(BUILD)/mutants.md

lint: setup-lint lab
	@tools/lint $(BUILD)

format: setup-lint
	@clang-format -i $$(git ls-files '*.c' '*.h')

install: all
	@meson install --no-rebuild -C $(BUILD)

clean:
	rm -rf $(BUILD) $(SANITIZED)
