"""What a topic's TOML and the file of real models hold, as cards."""

import html
from collections.abc import Sequence

from grader.curriculum.catalog import load_catalog
from grader.show.cards import Card, prose, stacked, table
from grader.show.figures.models import Model, load_models


def questions(topic: str) -> Card:
    """The interviewer's follow-up questions of a topic; a click unfolds an answer."""
    asked = load_catalog()[topic].questions
    page = "".join(
        '<details style="margin:0.45em 0"><summary style="cursor:pointer;display:list-item">'
        f"<b>{prose(each.question)}</b></summary>"
        f'<p style="margin:0.3em 0 0.6em 1.1em">{_paragraphs(each.answer)}</p></details>'
        for each in asked
    )
    return Card(page, "\n\n".join(f"{each.question}\n{each.answer.strip()}" for each in asked))


def sources(topic: str) -> Card:
    """The papers of a topic."""
    read = load_catalog()[topic].sources
    page = "".join(f"<div>{_link(each.title, each.url)}</div>" for each in read)
    return Card(page, "\n".join(f"{each.title}: {each.url}" for each in read))


def models(ids: Sequence[str], *columns: str) -> Card:
    """A table of real models with the given columns, from models.toml, and where the numbers are from.

    Columns are the fields of `models.Model`, methods such as `kv_bytes_per_token` among them.
    """
    known = load_models()
    chosen = [known[id_] for id_ in ids]
    head = ["model", *(column.replace("_", " ") for column in columns)]
    rows = [[model.name, *(model.cell(column) for column in columns)] for model in chosen]
    notes = "; ".join(_numbered(model) for model in chosen)
    named = Card(f'<div style="font-size:0.85em">Sources: {notes}</div>', _plain(chosen))
    return stacked(table(head, rows), named)


def _numbered(model: Model) -> str:
    """A model's name with a link to each of its sources."""
    anchors = [_link(str(number), url) for number, url in enumerate(model.sources, 1)]
    return f"{html.escape(model.name)} {', '.join(anchors)}"


def _plain(chosen: Sequence[Model]) -> str:
    return "\n".join(f"{model.name}: {' '.join(model.sources)}" for model in chosen)


def _link(title: str, url: str) -> str:
    return f'<a style="color:#095faa" href="{html.escape(url)}">{html.escape(title)}</a>'


def _paragraphs(text: str) -> str:
    return "<br><br>".join(prose(part.replace("\n", " ")) for part in text.strip().split("\n\n"))
