"""The program: `python -m grader`, or `byheart`."""

import gc
import io
import os
import sys
import traceback
from typing import NoReturn

PASSED, NOT_PASSED, WRONG_USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def main() -> NoReturn:
    """Run the command line and leave with its status.

    Leaving goes through `os._exit`: the interpreter's own end, after torch, takes 0.3 s.
    """
    # Modules and the catalog stay: looking for garbage among them, as is done every 700 objects, costs 10 ms.
    gc.set_threshold(50_000)
    _open_standard_streams()
    if sys.platform == "win32":
        print(
            "byheart needs Linux or macOS. On Windows, use WSL (the Windows Subsystem for Linux).",
            file=sys.stderr,
        )
        os._exit(WRONG_USAGE)
    status = _run()
    if status == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    os._exit(_flush() or status)


def _run() -> int:
    from grader.curriculum.catalog import PackError
    from grader.curriculum.workspace import WorkspaceError
    from grader.practice.record.unavailable import ProgressUnavailable

    try:
        from grader.cli import app
        from grader.practice.live.left_modes import put_back

        put_back()
        app(prog_name="byheart")  # also where it is run as `python -m grader`: completion is for that name
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else PASSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except ProgressUnavailable as problem:
        print(problem, file=sys.stderr)
        return NOT_PASSED
    except (WorkspaceError, PackError) as problem:
        print(problem, file=sys.stderr)
        return WRONG_USAGE
    except Exception:
        traceback.print_exc()
        return FAULT
    return PASSED


def _flush() -> int:
    """Write out what is buffered. A reader that has seen enough (`| head`) is no fault, a full disk is."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        return PASSED
    except OSError:
        traceback.print_exc()
        return FAULT
    return PASSED


def _open_standard_streams() -> None:
    """Put the null device where they are closed, or a socket of ours would take their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    main()
