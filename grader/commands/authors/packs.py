"""Packs of other people's topics: `verify`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.usage import fail, nearby, refuse, say
from grader.curriculum.catalog import CatalogError, Topic, load_catalog, with_pack
from grader.curriculum.pack import Pack, own_pack
from grader.curriculum.workspace import NAMED, SETTINGS, Workspace, current_workspace

if TYPE_CHECKING:
    from grader.authoring.verifying import Findings
    from grader.notebooks.running import Kernel


def verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A pack: it has a catalog.toml.")],
) -> None:
    """Try everything that must hold for the topics of a pack (for authors)."""
    import tempfile

    pack = _pack_in(folder)
    with tempfile.TemporaryDirectory() as name:
        workspace = Workspace(Path(name).resolve())
        workspace.settings.write_text(f"packs = [{_quoted(str(pack.root))}]\n", encoding="utf-8")
        os.environ[NAMED] = str(workspace.root)  # for all that is started, too
        found = _verified(topics_of(folder), pack, workspace)
    for each in found:
        say(_text(each))
    faults = sum(len(each.faults) for each in found)
    if faults:
        fail(f"{faults} thing{'s' * (faults != 1)} to mend in {folder}.")
    say(f"All of {folder} holds. In a workspace's {SETTINGS}: packs = [{_quoted(str(pack.root))}]")


def topics_of(folder: Path) -> tuple[Topic, ...]:
    """The topics of the pack in a folder; ends as wrong usage where there is none."""
    pack, workspace = _pack_in(folder), current_workspace()
    try:
        catalog = with_pack(load_catalog(own_pack(), workspace), pack, workspace)
    except CatalogError as error:
        fail(str(error))
    return tuple(topic for topic in catalog.topics if topic.pack == pack)


def _pack_in(folder: Path) -> Pack:
    pack = Pack.in_folder(folder.expanduser().resolve())
    if not pack.catalog.is_file():
        begins = f"byheart new TOPIC --chapter CHAPTER --pack {folder}"
        refuse(f"{folder} has no catalog.toml. This begins a pack: {begins}")
    return pack


def _verified(topics: tuple[Topic, ...], pack: Pack, workspace: Workspace) -> "list[Findings]":
    from functools import partial

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from grader.authoring.verifying import Findings, Trial, trials
    from grader.judge.limits import Limits
    from grader.judge.pace import paced
    from grader.judge.service.remote import RemoteJudge
    from grader.judge.verdict import Verdict
    from grader.notebooks.running import Kernel

    answer = workspace.root / "answer.py"
    found = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    check_seconds = paced(Limits.check_seconds)  # nobody waits for one verdict here
    with (
        RemoteJudge(trail=False, check_seconds=check_seconds) as judge,
        Kernel() as kernel,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):

        def grade(topic_id: str, text: str) -> Verdict:
            answer.write_text(text, encoding="utf-8")
            return judge.grade(topic_id, answer)

        for topic in topics:
            findings = Findings(topic)
            to_try = trials(topic, pack.root / "answers" / topic.id, grade, judge.rehearse)
            if topic.notebook.exists():
                to_try.append(Trial("notebook", partial(_of_notebook, topic, kernel)))
            for trial in progress.track(to_try, description=topic.id):
                findings.add(trial.kind, trial.fault())
            found.append(findings)
    return found


def _of_notebook(topic: Topic, kernel: "Kernel") -> str | None:
    """Whether it does not run, or is not as it is to be kept."""
    from grader.notebooks.cleaning import stale_notebooks
    from grader.notebooks.running import CellFailed

    try:
        kernel.executed(topic.notebook)
    except (CellFailed, ValueError) as failed:
        return f"its notebook does not run: {failed}"
    if stale_notebooks([topic]):
        clean = f"byheart notebooks-clean --pack {nearby(topic.pack.root)}"
        return f"its notebook has outputs or leftovers in it; without them: {clean}"
    return None


def _text(findings: "Findings") -> str:
    tried = ", ".join(f"{count} {kind}" for kind, count in findings.tried.items())
    word = "FAIL" if findings.faults else "pass"
    lines = [f"{word}  {findings.topic.id}  {tried}"]
    return "\n".join([*lines, *(f"      {fault}" for fault in findings.faults)])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
