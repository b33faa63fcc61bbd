"""A spawned worker: `python -m grader.worker CHANNEL OUTPUT TORCH FOLDER HIDDEN…`."""

import os
import sys

from grader.worker.serve import serve
from grader.worker.walls.sandbox import set_limits

channel, output, with_torch, folder, *hidden = sys.argv[1:]
if with_torch == "1":
    import torch  # noqa: F401  # loaded before memory is bounded: the limit counts from here
os.chdir(folder)
set_limits(alone=False)
serve(int(channel), int(output), folder, hidden)
