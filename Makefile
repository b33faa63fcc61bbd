# The front door: `make` alone lists the commands.
#
# Every command first makes .venv and installs what constraints.txt pins; again when that file or pyproject.toml
# changes. Works with GNU make 3.81 (macOS) and later ones.

SHELL := /bin/sh
.SUFFIXES:
.DEFAULT_GOAL := help

learners := today list next track check watch edit open drill mock quiz undo hint solution compare history restore reset suspend resume stats report notebook notebooks doctor export import grade update
authors := new stubs notebooks-clean readme bench test lint
.PHONY: help $(learners) $(authors)

# Options count from the command line only: the environment may have a `level` or a `file` for other purposes.
# What is typed for them reaches the shell as environment variables: neither make nor the shell interprets it.
# `args` alone is pasted in, to be read by the shell: args="--json --file 'my answer.py'".
options := topic chapter track level attempt yes minutes count seed file rating interview limit port path args
is_typed = $(findstring command line,$(origin $(1)))
unknown := $(strip $(foreach name,$(filter-out $(options) PYTHON,$(.VARIABLES)),$(if $(call is_typed,$(name)),$(name)=)))
define only_typed
  override $(1) := $$(if $$(call is_typed,$(1)),$$(value $(1)))
endef
$(foreach name,$(options),$(eval $(call only_typed,$(name))))
export $(filter-out args,$(options))
unexport args
unexport PYTHONDONTWRITEBYTECODE # what is compiled is kept: 280 files of tests take each process 5 s

# `make check gqa` is `make check topic=gqa`: words behind a command that are no commands are its options.
command := $(firstword $(MAKECMDGOALS))
more := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
words := $(filter-out $(learners) $(authors),$(more))
define next_word_is
  ifneq ($$(and $$(words),$$(filter $(2),$$(command)),$$(if $$($(1)),,missing)),)
    override $(1) := $$(firstword $$(words))
    words := $$(wordlist 2,$$(words $$(words)),$$(words))
  endif
endef
needs_topic := edit hint solution compare restore reset suspend resume notebook
$(eval $(call next_word_is,topic,$(needs_topic) check watch open drill quiz history new test))
$(eval $(call next_word_is,attempt,restore))
$(eval $(call next_word_is,chapter,mock new))
$(eval $(call next_word_is,file,export import))
$(eval $(call next_word_is,path,grade))
$(eval $(call next_word_is,rating,undo))
$(eval $(call next_word_is,minutes,today))
$(eval $(call next_word_is,track,track))
ifeq ($(command),list) # whose words may be `new`
  override which := $(words) $(filter new,$(more))
  words :=
endif
export which

# What is said instead of doing anything; `wrong` is a name that may be meant for one of the `right` ones.
is_command = $(filter $(1),$(command))
missing = $(if $(strip $($(1))),,missing)
ifneq ($(unknown),)
  complaint := There is no option $(firstword $(unknown)), so nothing is done.
  wrong := $(firstword $(unknown))
  right := $(addsuffix =,$(options))
else ifneq ($(filter-out help .venv/% $(learners) $(authors),$(command)),)
  complaint := There is no command $(command); make alone lists them all.
  wrong := $(command)
  right := $(learners) $(authors)
else ifneq ($(words),)
  complaint := $(command) cannot do anything with $(firstword $(words)).
else ifneq ($(and $(call is_command,$(needs_topic)),$(call missing,topic)),)
  complaint := Which topic? For example: make $(command) gqa
else ifneq ($(and $(call is_command,restore),$(call missing,attempt)),)
  complaint := Which attempt? make history $(topic) lists them.
else ifneq ($(and $(call is_command,import),$(call missing,file)),)
  complaint := Which file? For example: make import progress.jsonl
else ifneq ($(and $(call is_command,grade),$(call missing,path)),)
  complaint := Which folder? For example: make grade path=submissions
else ifneq ($(and $(call is_command,new),$(or $(call missing,topic),$(call missing,chapter))),)
  complaint := Which topic and chapter? For example: make new gqa attention
endif
export complaint wrong right

# An answer that does not pass is no fault of make's, so its "make: *** [check] Error 1" must not stand below the
# verdict. `make -q` ends with status 1 and without a word where a recipe has a line left that is to be run; a line
# with a + is run all the same. So every line has one, but for those that say that something failed.
ifeq ($(filter help .venv/% $(authors),$(or $(command),help)),)
  MAKEFLAGS += -q
endif
unexport MAKEFLAGS MAKEOVERRIDES
or_failed := || [ -n "$$interrupted" ] || mkdir .venv/failed.$$PPID 2>/dev/null
has_failed = $(shell rmdir .venv/failed.$$PPID 2>/dev/null && echo failed)

# Who presses Ctrl-C reads what byheart says of it, and no "make: *** [drill] Interrupt" below: make writes that of a
# shell that the signal ended. make itself is ended by it all the same; where the shell has ended before make came to
# hear of the signal, make complains that it has no child to wait for. So the shell ends a moment later.
byheart := +@interrupted=; trap 'interrupted=1; sleep 0.2' INT; .venv/bin/python -m grader

ifneq ($(complaint),)
  ifneq ($(filter $(authors),$(command)),)
    $(error $(complaint))
  endif
$(learners)::
	+@awk "$$complain" >&2
	@exit 1
endif

# Words behind a command are nothing to make; another goal that has no rule is complained of.
is_complained = $(and $(complaint),$(filter $(command),$@))
.DEFAULT:
	$(if $(is_complained),+@awk "$$complain" >&2,+@:)
	$(if $(is_complained),@exit 1)

help:
	@echo "Practise transformer components from memory, graded on your own machine."
	@echo
	@awk -F '(::? [^#]*## *| *[|] )' '/^[a-z-]+::? .*##/ { printf "  make %-36s %s\n", $$1 " " $$2, $$3 }' Makefile
	@echo
	@echo "Other options of a command go into args: make check gqa args=--json"
	@echo "The same from any folder: $(CURDIR)/.venv/bin/byheart check gqa"

today:: .venv/installed ## [minutes=30] | do what is due, one thing after the other; interview=2027-01-15 aims at a day, limit=3 topics a day, track=inference follows a track
	$(byheart) today $${minutes:+"$$minutes"} $${interview:+--interview "$$interview"} $${limit:+--limit "$$limit"} $${track:+--track "$$track"} $(args) $(or_failed)

list:: .venv/installed ## [due] [attention] | show the topics, and where you stand: those due, of a chapter, or all; track=inference for a track
	$(byheart) list $$which $${chapter:+"$$chapter"} $${track:+--track "$$track"} $(args) $(or_failed)

next:: .venv/installed ## | say what to do now, and why
	$(byheart) next $${track:+--track "$$track"} $(args) $(or_failed)

track:: .venv/installed ## [inference] | follow a track, a path through the topics, until make track none; without a name, list them
	$(byheart) track $${track:+"$$track"} $(args) $(or_failed)

check:: .venv/installed ## [gqa] | grade your answer; without a topic, all that you have started
	$(byheart) check $${topic:+"$$topic"} $(args) $(or_failed)

watch:: .venv/installed ## [gqa] | grade on every save, with keys for hints and the like
	$(byheart) watch $${topic:+"$$topic"} $(args) $(or_failed)

edit:: .venv/installed ## gqa | open an exercise in your editor
	$(byheart) edit "$$topic" $(args) $(or_failed)

open:: .venv/installed ## [gqa] | practise in the browser: a page on this machine alone; port=8000 for another place
	$(byheart) open $${topic:+"$$topic"} $${port:+--port "$$port"} $(args) $(or_failed)

drill:: .venv/installed ## [gqa] [minutes=10] | write a topic from memory against the clock; level=blanks gives you most of it
	$(byheart) drill $${topic:+"$$topic"} $${minutes:+--minutes "$$minutes"} $${level:+--level "$$level"} $(args) $(or_failed)

mock:: .venv/installed ## [minutes=45] [count=3] | rehearse an interview; chapter=attention or track=systems for its topics alone, seed=7 for the same ones
	$(byheart) mock $${minutes:+--minutes "$$minutes"} $${count:+--count "$$count"} $${chapter:+--chapter "$$chapter"} $${track:+--track "$$track"} $${seed:+--seed "$$seed"} $(args) $(or_failed)

quiz:: .venv/installed ## [gqa] [chapter=losses] | ask follow-up questions as flash cards, those due first
	$(byheart) quiz $${topic:+"$$topic"} $${chapter:+--chapter "$$chapter"} $(args) $(or_failed)

undo:: .venv/installed ## [rating=good] | take back your last rating, or give another one
	$(byheart) undo $${rating:+--rating "$$rating"} $(args) $(or_failed)

hint:: .venv/installed ## gqa [level=2] | give one more hint: the idea, the steps, the skeleton
	$(byheart) hint "$$topic" $${level:+--level "$$level"} $(args) $(or_failed)

solution:: .venv/installed ## gqa [yes=1] | show the reference solution, after asking
	$(byheart) solution "$$topic" $${yes:+--yes} $(args) $(or_failed)

compare:: .venv/installed ## gqa | after a pass: your answer beside the reference
	$(byheart) compare "$$topic" $(args) $(or_failed)

history:: .venv/installed ## [gqa] | list what you have tried; every answer is kept
	$(byheart) history $${topic:+"$$topic"} $(args) $(or_failed)

restore:: .venv/installed ## gqa 7 | bring back the answer of an earlier attempt
	$(byheart) restore "$$topic" "$$attempt" $(args) $(or_failed)

reset:: .venv/installed ## gqa | start an exercise afresh; what you wrote is kept first
	$(byheart) reset "$$topic" $(args) $(or_failed)

suspend:: .venv/installed ## gqa | leave a topic alone, until make resume gqa
	$(byheart) suspend "$$topic" $(args) $(or_failed)

resume:: .venv/installed ## gqa | take up a suspended topic again
	$(byheart) resume "$$topic" $(args) $(or_failed)

stats:: .venv/installed ## | show your streak, what you remember, what is hard, what comes due
	$(byheart) stats $(args) $(or_failed)

doctor:: .venv/installed ## | show what isolation this machine gives to grading, and what byheart runs on
	$(byheart) doctor $(args) $(or_failed)

report:: .venv/installed ## | write the same as a page with charts, build/report.html
	$(byheart) report $(args) $(or_failed)

notebook:: .venv/installed ## gqa | run the notebook that explains a topic, and open it
	$(byheart) notebook "$$topic" $(args) $(or_failed)

notebooks:: .venv/installed ## | run all notebooks, and write their pages and an index
	$(byheart) notebooks $(args) $(or_failed)

export:: .venv/installed ## [progress.jsonl] | write all of your progress as JSON Lines
	$(byheart) export $${file:+"$$file"} $(args) $(or_failed)

import:: .venv/installed ## progress.jsonl | merge exported progress into yours
	$(byheart) import "$$file" $(args) $(or_failed)

grade:: .venv/installed ## submissions [topic=gqa] | grade what many people handed in, into the folder graded
	$(byheart) grade "$$path" $${topic:+--topic "$$topic"} $(args) $(or_failed)

update:: .venv/installed ## | bring a newer version of the curriculum; your answers stay as they are
	$(byheart) update $(args) $(or_failed)

ifneq ($(command),list)
new: .venv/installed ## gqa attention | (for authors) write the skeleton of a new topic
	$(byheart) new "$$topic" --chapter "$$chapter" $(args)
endif

stubs: .venv/installed ## | (for authors) make the exercises from the solutions
	$(byheart) stubs $(args)

notebooks-clean: .venv/installed ## | (for authors) take outputs and leftovers out of the notebooks
	$(byheart) notebooks-clean $(args)

readme: .venv/installed ## | (for authors) write the tables and pictures of README.md anew
	$(byheart) readme $(args)

bench: .venv/installed ## | (for authors) measure how long grading takes
	$(byheart) bench $(args)

test: .venv/installed ## [gqa] | (for authors) test byheart itself
	@if [ -n "$$topic" ]; then set -- -n 2 --topic "$$topic" tests; else set -- -n 3; fi; \
	.venv/bin/python -m pytest -q --dist loadgroup "$$@" $(args)

lint: .venv/installed ## | (for authors) check formatting, code, types, stubs and notebooks
	@.venv/bin/ruff format --check
	@.venv/bin/ruff check
	@.venv/bin/mypy
	$(byheart) stubs --check
	$(byheart) notebooks-clean --check

$(learners)::
	$(if $(has_failed),@exit 1)

.venv/installed:: pyproject.toml constraints.txt .venv/bin/python
	+@if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; \
	else set -- python3 python3.13 python3.12 python3.11 python; fi; \
	for python do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    "$$python" -I grader/commands/upkeep/setting_up.py && exit; \
	    mkdir -p .venv/failed.$$PPID; exit; \
	  fi; \
	done; \
	echo "byheart needs Python 3.11 or newer. Install it, or say where it is: make list PYTHON=/path/to/python3" >&2; \
	mkdir -p .venv/failed.$$PPID

.venv/installed::
	$(if $(has_failed),@exit 1)

# Where this python is missing, or a link to one that is gone, everything is set up anew.
.venv/bin/python: ;

define complain
function least(a, b) { return a < b ? a : b }
function distance(a, b,   i, j, at) {
  for (i = 0; i <= length(a); i++) for (j = 0; j <= length(b); j++)
    at[i, j] = i == 0 || j == 0 ? i + j : least(at[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)), \
      least(at[i - 1, j], at[i, j - 1]) + 1)
  return at[length(a), length(b)]
}
BEGIN {
  nearest = 3
  count = split(ENVIRON["right"], names, " ")
  for (i = 1; i <= count; i++) {
    away = distance(tolower(ENVIRON["wrong"]), names[i])
    if (away < nearest) { nearest = away; meant = " Did you mean " names[i] "?" }
  }
  print ENVIRON["complaint"] meant
}
endef
export complain
