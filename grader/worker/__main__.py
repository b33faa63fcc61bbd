"""A spawned worker: `python -m grader.worker CHANNEL OUTPUT TORCH FOLDER HIDDEN…`."""

import os
import sys

from grader.worker.process.process_tree import raise_own
from grader.worker.process.warming import warm_up
from grader.worker.serve import serve
from grader.worker.walls.kernel.namespaces import become
from grader.worker.walls.limits import set_limits
from grader.worker.walls.view import view_of
from grader.worker.walls.wall import Wall

channel, output, with_torch, folder, *hidden = sys.argv[1:]
view = view_of(tuple(hidden), without_torch=with_torch == "0")
if with_torch == "1":
    import torch  # noqa: F401  # loaded before memory is bounded: the limit counts from here
warm_up()
os.chdir(folder)
set_limits(alone=False)
if sys.platform == "linux":
    become(os.geteuid())
    raise_own(view, folder, Wall(0), tells=False)  # nobody is there to hear
serve(int(channel), int(output), folder, view, walled=False)
