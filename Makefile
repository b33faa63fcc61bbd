# The front door: `make` alone lists the commands.
#
# Every command first makes .venv and installs what constraints.txt pins; again when that file or pyproject.toml
# changes. Works with GNU make 3.81 (macOS) and later ones.

SHELL := /bin/sh
.SUFFIXES:
.DEFAULT_GOAL := help
.PHONY: help list next check watch edit drill mock quiz hint solution compare history restore reset stats report notebook notebooks doctor export import update new stubs notebooks-clean readme bench test lint

# What is typed for these reaches the shell as environment variables: neither make nor the shell interprets it.
# `args` alone is pasted in, to be read by the shell: args="--json --file 'my answer.py'".
override topic := $(value topic)
override chapter := $(value chapter)
override level := $(value level)
override attempt := $(value attempt)
override yes := $(value yes)
override minutes := $(value minutes)
override count := $(value count)
override seed := $(value seed)
override file := $(value file)
export topic chapter level attempt yes minutes count seed file

ifneq ($(filter edit reset hint solution compare restore notebook,$(MAKECMDGOALS)),)
  ifeq ($(strip $(topic)),)
    $(error which topic? For example: make $(firstword $(MAKECMDGOALS)) topic=gqa)
  endif
endif
ifneq ($(filter restore,$(MAKECMDGOALS)),)
  ifeq ($(strip $(attempt)),)
    $(error which attempt? make history topic=$(topic) lists them)
  endif
endif
ifneq ($(filter import,$(MAKECMDGOALS)),)
  ifeq ($(strip $(file)),)
    $(error which file? For example: make import file=progress.jsonl)
  endif
endif
ifneq ($(filter new,$(MAKECMDGOALS)),)
  ifeq ($(and $(strip $(topic)),$(strip $(chapter))),)
    $(error which topic and chapter? For example: make new topic=gqa chapter=attention)
  endif
endif

byheart := .venv/bin/python -m grader

help:
	@echo "Practise transformer components from memory, graded on your own machine."
	@echo
	@awk -F '(: [^#]*## *| *[|] )' '/^[a-z-]+: .*##/ { printf "  make %-36s %s\n", $$1 " " $$2, $$3 }' Makefile
	@echo
	@echo "Other options of a command go into args: make check topic=gqa args=--json"

list: .venv/installed ## | show the topics, and where you stand
	@$(byheart) list $(args)

next: .venv/installed ## | say what to do now, and why
	@$(byheart) next $(args)

check: .venv/installed ## [topic=gqa] | grade your answer; without a topic, all that you have started
	@$(byheart) check $${topic:+"$$topic"} $(args)

watch: .venv/installed ## [topic=gqa] | grade on every save, with keys for hints and the like
	@$(byheart) watch $${topic:+"$$topic"} $(args)

edit: .venv/installed ## topic=gqa | open an exercise in your editor
	@$(byheart) edit "$$topic" $(args)

drill: .venv/installed ## [topic=gqa] [minutes=10] | write a topic from memory against the clock; level=blanks gives you most of it
	@$(byheart) drill $${topic:+"$$topic"} $${minutes:+--minutes "$$minutes"} $${level:+--level "$$level"} $(args)

mock: .venv/installed ## [minutes=45] [count=3] | rehearse an interview; chapter=attention for one chapter, seed=7 for the same topics
	@$(byheart) mock $${minutes:+--minutes "$$minutes"} $${count:+--count "$$count"} $${chapter:+--chapter "$$chapter"} $${seed:+--seed "$$seed"} $(args)

quiz: .venv/installed ## [topic=gqa] [chapter=losses] | ask follow-up questions as flash cards, those due first
	@$(byheart) quiz $${topic:+"$$topic"} $${chapter:+--chapter "$$chapter"} $(args)

hint: .venv/installed ## topic=gqa [level=2] | give one more hint: the idea, the steps, the skeleton
	@$(byheart) hint "$$topic" $${level:+--level "$$level"} $(args)

solution: .venv/installed ## topic=gqa [yes=1] | show the reference solution, after asking
	@$(byheart) solution "$$topic" $${yes:+--yes} $(args)

compare: .venv/installed ## topic=gqa | after a pass: your answer beside the reference
	@$(byheart) compare "$$topic" $(args)

history: .venv/installed ## [topic=gqa] | list what you have tried; every answer is kept
	@$(byheart) history $${topic:+"$$topic"} $(args)

restore: .venv/installed ## topic=gqa attempt=7 | bring back the answer of an earlier attempt
	@$(byheart) restore "$$topic" "$$attempt" $(args)

reset: .venv/installed ## topic=gqa | start an exercise afresh; what you wrote is kept first
	@$(byheart) reset "$$topic" $(args)

stats: .venv/installed ## | show your streak, what you remember, what is hard, what comes due
	@$(byheart) stats $(args)

report: .venv/installed ## | write the same as a page with charts, build/report.html
	@$(byheart) report $(args)

notebook: .venv/installed ## topic=gqa | run the notebook that explains a topic, and open it
	@$(byheart) notebook "$$topic" $(args)

notebooks: .venv/installed ## | run all notebooks, and write their pages and an index
	@$(byheart) notebooks $(args)

doctor: .venv/installed ## | show what isolation this machine gives to grading, and what byheart runs on
	@$(byheart) doctor $(args)

export: .venv/installed ## [file=progress.jsonl] | write all of your progress as JSON Lines
	@$(byheart) export $${file:+"$$file"} $(args)

import: .venv/installed ## file=progress.jsonl | merge exported progress into yours
	@$(byheart) import "$$file" $(args)

update: .venv/installed ## | bring a newer version of the curriculum; your answers stay as they are
	@$(byheart) update $(args)

new: .venv/installed ## topic=gqa chapter=attention | (for authors) write the skeleton of a new topic
	@$(byheart) new "$$topic" --chapter "$$chapter" $(args)

stubs: .venv/installed ## | (for authors) make the exercises from the solutions
	@$(byheart) stubs $(args)

notebooks-clean: .venv/installed ## | (for authors) take outputs and leftovers out of the notebooks
	@$(byheart) notebooks-clean $(args)

readme: .venv/installed ## | (for authors) write the tables and pictures of README.md anew
	@$(byheart) readme $(args)

bench: .venv/installed ## | (for authors) measure how long grading takes
	@$(byheart) bench $(args)

test: .venv/installed ## | (for authors) test byheart itself
	@.venv/bin/python -m pytest -q -n 2 $(args)

lint: .venv/installed ## | (for authors) check formatting, code, types, stubs and notebooks
	@.venv/bin/ruff format --check
	@.venv/bin/ruff check
	@.venv/bin/mypy
	@$(byheart) stubs --check
	@$(byheart) notebooks-clean --check

.venv/installed: pyproject.toml constraints.txt .venv/bin/python
	@if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; \
	else set -- python3 python3.13 python3.12 python3.11 python; fi; \
	for python do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    exec "$$python" -c "$$set_up"; \
	  fi; \
	done; \
	echo "byheart needs Python 3.11 or newer. Install it, or say where it is: make list PYTHON=/path/to/python3" >&2; \
	exit 1

# Where this python is missing, or a link to one that is gone, everything is set up anew.
.venv/bin/python: ;

# The stamp goes before anything is installed and comes back when all is, so an interruption is made up for.
# The lock on this file keeps two terminals apart; it is released when the last process that holds it ends.
define set_up
import fcntl, os, subprocess, sys

STAMP, LOG, PYTHON = ".venv/installed", ".venv.log", ".venv/bin/python"

def say(text):
    print(text, file=sys.stderr, flush=True)

def is_set_up():
    try:
        made_from = max(os.path.getmtime(path) for path in (PYTHON, "pyproject.toml", "constraints.txt"))
        return os.path.getmtime(STAMP) >= made_from
    except FileNotFoundError:
        return False

def set_up(lock, log):
    def works(*command):
        try:
            return subprocess.run(command, stdout=log, stderr=log, pass_fds=[lock.fileno()]).returncode == 0
        except OSError:
            return False

    say("Setting up .venv (once, about a minute) ...")
    if os.path.exists(STAMP):
        os.remove(STAMP)
    usable = works(PYTHON, "-c", "import pip, sys; sys.exit(sys.version_info < (3, 11))")
    if not usable and not works(sys.executable, "-m", "venv", "--clear", ".venv"):
        sys.exit(f"{sys.executable} cannot make .venv: install its venv module (Debian, Ubuntu: python3-venv). See {LOG}")
    if not works(PYTHON, "-m", "pip", "install", "-e", ".[dev]", "-c", "constraints.txt"):
        sys.exit(f"Setting up failed: check the network and the space on disk, then run make again. See {LOG}")
    open(STAMP, "w").close()

with open("Makefile") as lock, open(LOG, "a") as log:
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another make is setting up .venv: waiting for it ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_set_up():
            log.truncate(0)
            set_up(lock, log)
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next make sets up again.")
endef
export set_up
