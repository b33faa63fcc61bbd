"""The environment of a worker: nothing of the user's that could be a secret."""

import ctypes
import os
import sys
from pathlib import Path

_KEPT = ("LANG", "LANGUAGE", "TZ", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def kept_environment() -> dict[str, str]:
    """What decides how text and numbers look, and no more."""
    kept = {name: text for name, text in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    return {**kept, "PATH": os.defpath, "USER": "worker", "LOGNAME": "worker"}


def clean_environment() -> None:
    """Drop all else: also from the memory that this process was started with, which can be read as long as it
    lives.
    """
    kept = kept_environment()
    os.environ.clear()
    if sys.platform == "linux":
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[47]), int(fields[48])  # env_start and env_end
        if 0 < start < end:
            ctypes.memset(start, 0, end - start)
    os.environ.update(kept)
