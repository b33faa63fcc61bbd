"""Look-alikes side by side."""

from collections.abc import Iterable, Mapping

from grader.batch.alike.finding import Alike
from grader.batch.alike.fingerprints import Fingerprinted
from grader.batch.alike.pairs import Pair
from grader.batch.report.style import CSS
from grader.batch.report.submission import text
from grader.show.html_page import page

_STYLE = f"""{CSS}\
main {{ max-width: 96rem; }}
.two {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }}
.two pre {{ white-space: pre; overflow-x: auto; margin: 0; }}
mark {{ background: color-mix(in srgb, var(--second) 25%, transparent); color: inherit; }}
@media (max-width: 48rem) {{ .two {{ grid-template-columns: 1fr; }} }}
"""
_NOTE = """\
This proves nothing. Answers are short, and there are few ways to write them well: many of them are alike by
nature, and so are those of people who learned from one page. The text of the exercise and of the reference is
taken out before anything is compared, and so is what many in this class have. Marked is what is left and the
same but for names, comments, layout and order. The more of it nobody else has, the rarer the likeness.
"""


def alike_page(found: Iterable[Alike], names: Mapping[str, str]) -> str:
    """The whole page; `names`: what students are called on it."""
    parts = [f"<p>{text(_NOTE)}</p>"]
    for each in found:
        shown = "\n".join(_pair(pair, each, names) for pair in each.pairs)
        title = f"{each.topic} <span class=quiet>{len(each.answers)} answers</span>"
        parts.append(f"<section><h2>{title}</h2>\n{shown}</section>")
    if len(parts) == 1:
        parts.append("<p>No two answers share what few others have.</p>")
    return page("byheart: look-alikes", "Look-alikes", _STYLE, "\n".join(parts))


def _pair(pair: Pair, each: Alike, names: Mapping[str, str]) -> str:
    one, other = (text(names[student]) for student in pair.students)
    rare = f"{pair.shared} passages in common, {pair.only} of them with nobody else"
    columns = "".join(
        f"<div><b>{name}</b><pre>{_marked(each.answers[student], lines)}</pre></div>"
        for name, student, lines in zip((one, other), pair.students, pair.lines, strict=True)
    )
    return (
        f"<details><summary><b>{one}</b> and <b>{other}</b>: {pair.share:.0%} of the shorter one; {rare}"
        f'</summary><div class="two">{columns}</div></details>'
    )


def _marked(answer: Fingerprinted, lines: frozenset[int]) -> str:
    return "\n".join(
        f"<mark>{text(line)}</mark>" if number in lines else text(line)
        for number, line in enumerate(answer.text.splitlines(), start=1)
    )
