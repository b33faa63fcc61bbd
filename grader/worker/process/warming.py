"""What every worker would do first, done before it is made, or before its memory is bounded."""

import importlib
import sys

import numpy as np

from grader.worker.answering.global_state import put_back_switches
from grader.worker.walls.builtins.forbidden import prepare
from grader.worker.walls.own_modules import load_parts, part
from grader.worker.walls.past_python import holders


def warm_up() -> None:
    """Do it once. No gradients: autograd's engine does not survive a fork."""
    importlib.import_module("jaxtyping")  # every stub imports it
    np.ones((512, 512)) @ np.ones(512)  # takes 32 MiB for all products to come
    prepare()
    holders()
    if "torch" in sys.modules:
        load_parts()
        meter = part("grader.worker.measuring.meter").Meter()
        with meter.calls, meter:
            sys.modules["torch"].ones(1)
    put_back_switches(0)
