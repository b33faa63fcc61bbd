"""The command line: `python -m grader`, or `byheart`. What each command does stands in `grader.commands`.

Exit status: 0 passed, 1 any other outcome, 2 wrong usage; `grader.__main__` adds 3 (a fault of ours) and
130 (Ctrl-C).
"""

import typer

from grader.commands import workplace
from grader.commands.authors import authors, packs
from grader.commands.grading import grade, gradescope
from grader.commands.overview import doctor, learning, notebooks, statistics
from grader.commands.practice import checking, page, quiz, timed, today, tracks, undoing, watching
from grader.commands.upkeep import beginning, transfer, updating

app = typer.Typer(
    invoke_without_command=True,
    callback=workplace.begin,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(beginning.init)
app.command()(today.today)
app.command("list")(learning.list_topics)
app.command("next")(learning.next_topic)
app.command()(tracks.track)
app.command()(checking.check)
app.command()(watching.watch)
app.command()(watching.edit)
app.command("open")(page.open_page)
app.command()(timed.drill)
app.command()(timed.mock)
app.command()(quiz.quiz)
app.command()(undoing.undo)
app.command()(learning.hint)
app.command()(learning.solution)
app.command()(checking.compare)
app.command()(learning.history)
app.command()(learning.restore)
app.command()(learning.reset)
app.command()(today.suspend)
app.command()(today.resume)
app.command()(statistics.stats)
app.command()(statistics.report)
app.command()(doctor.doctor)
app.command()(grade.grade)
app.command()(gradescope.gradescope)
app.command()(transfer.export)
app.command("import")(transfer.import_progress)
app.command()(updating.update)
app.command()(notebooks.notebook)
app.command()(notebooks.notebooks)
app.command()(notebooks.notebooks_clean)
app.command()(authors.stubs)
app.command()(authors.new)
app.command()(packs.verify)
app.command()(authors.bench)
app.command()(authors.readme)
