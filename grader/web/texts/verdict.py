"""A verdict as HTML, and as marks on the lines of the editor."""

from collections.abc import Sequence
from html import escape

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Check, Cost, Outcome, Verdict
from grader.show.verdicts.groups import Group
from grader.show.verdicts.outcomes import WORDS, unwritten, word
from grader.show.verdicts.prints import prints_of
from grader.show.verdicts.selection import line_to_look_at, selected, what_else_to_look_at
from grader.show.verdicts.sentences import cost_sentence, mistakes_heading, parts_sentence
from grader.show.verdicts.trail import factor_text, trail_text
from grader.show.verdicts.verdict import SEARCHING, TRYING
from grader.web.texts.markup import prose, words
from grader.worker.tracing import RESULT

Marks = dict[int, tuple[str, str]]
"""By line: the class of the mark, and what is said of the line."""

IN_FULL = {"TIME": "OUT OF TIME", "FORBID": "FORBIDDEN", "todo": "to do", "-": "not run"}
"""What the terminal's words are short for."""

RIGHT, NEAR, LOOK = "line-right", "line-near", "line-look"


def verdict_html(verdict: Verdict, topic: Topic, is_searching: bool = False) -> str:
    """The mistake first, then how far it is right, then the checks: the first that fails is open."""
    parts = [_head(verdict)]
    if verdict.message is not None:
        parts.append(f'<pre class="found" tabindex="0">{escape(verdict.message)}</pre>')
    else:
        parts += [_mistakes(verdict), _trail(verdict), _parts(verdict)]
    parts.append(_way_to_the_line(verdict))
    if is_searching:
        parts.append(f'<p class="quiet">{TRYING if verdict.passed else SEARCHING} …</p>')
    checks = _checks(verdict) if verdict.message is None else ""
    parts += [checks, _printed(verdict, checks), _suspicions(verdict), _cost(verdict.cost)]
    return "\n".join(filter(None, parts))


def marks_of(verdict: Verdict) -> Marks:
    """What the trail says of each line, and where to look."""
    marks: Marks = {}
    if verdict.trail is not None:
        for found in verdict.trail.found:
            name = "the result" if found.name == RESULT else found.name
            kind, said = RIGHT, f"{name} is there"
            if found.factor is not None:
                kind, said = NEAR, f"{factor_text(found.factor)} times {name}"
            before, earlier = marks.get(found.line, (kind, ""))
            marks[found.line] = (
                max(kind, before, key=(RIGHT, NEAR).index),
                "; ".join(filter(None, (earlier, said))),
            )
    line = line_to_look_at(verdict)
    if line is not None and not verdict.passed:
        said = f"look at this line{what_else_to_look_at(verdict)}"
        if verdict.trail is not None and verdict.trail.line == line:
            said = f"{verdict.trail.missing} is not right from here on: {said}"
        before = f"{marks[line][1]}; " if line in marks else ""
        marks[line] = (LOOK, f"{before}{said}")
    return marks


def _head(verdict: Verdict) -> str:
    label = IN_FULL.get(WORDS[verdict.outcome], WORDS[verdict.outcome])
    kind = "good" if verdict.passed else "todo" if verdict.outcome is Outcome.NOT_STARTED else "bad"
    told = ""
    if verdict.message is None:
        passed = sum(check.outcome is Outcome.PASSED for check in verdict.checks)
        told = f"{passed} of {len(verdict.checks)} checks passed, {verdict.seconds:.1f}&nbsp;s"
    return f'<h2 class="verdict {kind}"><span class="word">{label}</span> {told}</h2>'


def _mistakes(verdict: Verdict) -> str:
    diagnosis = verdict.diagnosis
    if diagnosis is None:
        return ""
    explained = len(selected(verdict).explained)
    failing = sum(check.outcome is not Outcome.PASSED for check in verdict.checks)
    where = ""
    if explained != failing:
        where = f"In {explained} of the {failing} checks that do not pass,"
    said = "".join(f"<p>{prose(says)}</p>" for _, says in diagnosis.named)
    return f'<div class="mistake"><h3>{mistakes_heading(diagnosis, where)}:</h3>{said}</div>'


def _trail(verdict: Verdict) -> str:
    return f'<p class="trail">{words(trail_text(verdict.trail))}</p>' if verdict.trail else ""


def _way_to_the_line(verdict: Verdict) -> str:
    """What the page makes a way into its editor: see `parts/page.js`."""
    line = None if verdict.passed else line_to_look_at(verdict)
    if line is None:
        return ""
    return f'<p><button type="button" class="to-line" data-line="{line}">Go to line {line}</button></p>'


def _parts(verdict: Verdict) -> str:
    sentence = parts_sentence(verdict.parts)
    return f"<p>{words(sentence)}</p>" if sentence else ""


def _checks(verdict: Verdict) -> str:
    """Of those that fail, at most one is open at a time; those that pass are folded together."""
    selection = selected(verdict)
    rows = []
    if selection.main is not None:
        rows.append(_group(selection.main, is_open=True))
    rows += [_group(group) for group in selection.others]
    rows += [_check(check) for check in selection.explained]
    rows += [_group(group) for group in selection.waiting]
    passed = [check for check in verdict.checks if check.outcome is Outcome.PASSED]
    if passed:
        titles = "".join(f"<li>{words(check.title)}</li>" for check in passed)
        rows.append(
            f"<details><summary>{_word('pass', 'good')} {_count(len(passed))}</summary>"
            f"<ul>{titles}</ul></details>"
        )
    return f'<div class="checks">{"".join(rows)}</div>'


def _group(group: Group, is_open: bool = False) -> str:
    check, count = group.first, len(group.others) + 1
    if name := unwritten(check):
        waits = f"{name} is not written: {_count(count)} wait{'s' * (count == 1)} for it"
        return f"<p>{_word(word(check), 'todo')} {words(waits)}</p>"
    if check.outcome is Outcome.NOT_RUN:
        said = f"{_count(count)} {'was' if count == 1 else 'were'} {check.message}"
        return f"<p>{_word(word(check), 'quiet')} {words(said)}</p>"
    return _check(check, group.repetition, is_open)


def _check(check: Check, repetition: str = "", is_open: bool = False) -> str:
    more = f'<p class="quiet">{words(repetition)}</p>' if repetition else ""
    printed = (
        f'<p class="quiet">It printed:</p><pre tabindex="0">{escape(check.output)}</pre>'
        if check.output
        else ""
    )
    return (
        f'<details name="check"{" open" * is_open}><summary>{_word(word(check), "bad")} {words(check.title)}'
        f'</summary><pre class="found" tabindex="0">{escape(check.message)}</pre>{more}{printed}</details>'
    )


def _printed(verdict: Verdict, checks: str) -> str:
    """Unless the checks show it."""
    heading, output = prints_of(verdict)
    if not output or f">{escape(output)}</pre>" in checks:
        return ""
    return (
        f"<details><summary>{words(heading)}</summary>"
        f'<pre class="printed" tabindex="0">{escape(output)}</pre></details>'
    )


def _suspicions(verdict: Verdict) -> str:
    return "".join(f"<p>Unusual, line {each.line}: {escape(each.what)}</p>" for each in verdict.suspicions)


def _cost(cost: Cost | None) -> str:
    if cost is None or not cost_sentence(cost):
        return ""
    rows: Sequence[tuple[str, int, int]] = (
        ("matmul FLOPs", cost.matmul_flops, cost.reference_matmul_flops),
        ("elements of the largest tensor", cost.largest_tensor, cost.reference_largest_tensor),
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{own:,}</td><td>{its:,}</td></tr>' for name, own, its in rows
    )
    return (
        f'<table class="cost"><caption>{escape(cost_sentence(cost))}</caption>'
        f'<tr><td></td><th scope="col">yours</th><th scope="col">reference</th></tr>{body}</table>'
    )


def _word(label: str, kind: str) -> str:
    return f'<span class="word {kind}">{escape(IN_FULL.get(label, label))}</span>'


def _count(count: int) -> str:
    return f"{count} check{'s' * (count != 1)}"
