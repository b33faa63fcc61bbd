"""What there is to say of a verdict as a whole: its parts, its mistakes, its sum."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from grader.judge.verdict import Cost, Diagnosis, Outcome, Verdict
from grader.show.terminal.wrapping import wrapped_words
from grader.show.verdicts.next_step import Step

_NUMBERS = {2: "two", 3: "three", 4: "four"}


def parts_sentence(parts: Mapping[str, str]) -> str:
    """Which parts are right beside others that are not; empty where there is no such thing to tell."""
    by_standing = {
        standing: [name for name, its in parts.items() if its == standing]
        for standing in ("right", "wrong", "not_started")
    }
    right, wrong, missing = by_standing.values()
    if not right or len(right) == len(parts):
        return ""
    told = [f"{_listed(right)} {_are(right)} right"]
    told += [f"{_listed(wrong)} {_are(wrong)} not"] if wrong else []
    told += [f"{_listed(missing)} {_are(missing)} not written"] if missing else []
    return "; ".join(told) + "."


def mistakes_heading(diagnosis: Diagnosis, where: str = "", whose: str = "your") -> str:
    """What stands above the mistakes. `where`: in which of the failing checks they show, if not in all."""
    if diagnosis.line is not None:
        return f"All that is wrong is in line {diagnosis.line}"
    count = len(diagnosis.named)
    which = "this mistake" if count == 1 else f"these {_NUMBERS.get(count, str(count))} mistakes"
    heading = f"{where} {whose} values are exactly those of {which}".strip()
    return heading[0].upper() + heading[1:]


def mistakes_paragraph(diagnosis: Diagnosis, width: int, checks: int | None = None) -> list[Text]:
    """What the mistakes are. `checks`: in how many of the failing checks they show, where not in all."""
    named = diagnosis.named
    where = "" if checks is None else "In this check" if checks == 1 else f"In these {checks} checks"
    lines = [f"  {mistakes_heading(diagnosis, where)}:"]
    mark = "    " if len(named) == 1 else "    - "
    for _, says in named:
        lines += wrapped_words(f"{mark}{says}", width).split("\n")
    return [Text(lines[0], style="bold"), *map(Text, lines[1:])]


def footer(verdict: Verdict, step: Step, width: int) -> list[Text]:
    """How many checks passed, at what cost, and what to do next: in one line if they fit."""
    advice, command = step
    tally = _tally(verdict)
    whole = " ".join(part for part in ("Next:", advice, command) if part)
    if tally and len(tally) + 3 + len(whole) <= width:
        return [Text(f"{tally}   {whole}")]
    lines = [tally] if tally else []
    if len(whole) + 2 <= width:
        return [Text(line) for line in (*lines, f"  {whole}")]
    # Advice below advice, the command in a line of its own.
    first, *others = [*wrapped_words(advice, width - 8).split("\n"), *([command] if command else [])]
    return [Text(line) for line in (*lines, f"  Next: {first}", *(f"        {other}" for other in others))]


def summary_text(verdicts: Sequence[Verdict]) -> Text:
    """How many answers passed, and which did not."""
    passed = sum(verdict.passed for verdict in verdicts)
    text = f"{passed} of {len(verdicts)} started topics passed."
    others = [verdict.topic for verdict in verdicts if not verdict.passed]
    return Text(f"{text} Not yet: {', '.join(others)}" if others else text, style="bold")


def _tally(verdict: Verdict) -> str:
    """How many checks passed, and at what cost; empty where none was run."""
    if verdict.message is not None:
        return ""
    passed = sum(check.outcome is Outcome.PASSED for check in verdict.checks)
    text = f"  {passed} of {len(verdict.checks)} checks passed, {verdict.seconds:.1f} s."
    return text if verdict.cost is None else f"{text} {cost_sentence(verdict.cost)}".rstrip()


def cost_sentence(cost: Cost) -> str:
    """The answer's cost as multiples of the reference's."""
    parts = [
        f"{name} {_ratio(own / reference)}x"
        for name, own, reference in (
            ("matmul FLOPs", cost.matmul_flops, cost.reference_matmul_flops),
            ("largest tensor", cost.largest_tensor, cost.reference_largest_tensor),
        )
        if reference
    ]
    return f"Cost: {', '.join(parts)} the reference." if parts else ""


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.1g}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
