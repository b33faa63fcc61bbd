"""How a worker has ended without an answer, in words."""

import signal
from typing import Any

from grader.judge.workers.launch import Ending
from grader.kit.outcomes import Crashed, Forbidden
from grader.worker.walls.limits import PROCESSES


def stopped(ending: Ending, problem: Exception) -> Crashed | Forbidden:
    """What a worker that gave no answer has done."""
    if ending.refused is not None:
        return Forbidden(refused_call(ending.refused))
    if ending.over is not None:
        return Crashed(OVER[ending.over])
    return Crashed(ended(ending, problem))


def refused_call(name: str) -> dict[str, Any]:
    """A refusal by the kernel, as one by the guards looks."""
    does = _CALLS.get(name, f"makes the system call {name}")
    return {"what": name, "text": f"It {does}: no answer needs that, and none may.", "position": None}


def ended(ending: Ending, problem: Exception) -> str:
    """What became of a worker that gave no answer, in a sentence."""
    if ending.signal is not None:
        name = (
            signal.Signals(ending.signal).name
            if ending.signal in list(signal.Signals)
            else str(ending.signal)
        )
        return f"The process was ended by the signal {name}{_MEANING.get(name, '')}."
    if ending.status is not None:
        return f"The process ended itself with exit status {ending.status}, without an answer."
    if isinstance(problem, ValueError | MemoryError):
        return f"The process wrote something else where its answer belongs: {str(problem)[:200]}."
    return "The process closed its connection to the judge."


FORGED = ValueError("this is no report of a refusal")
OVER = {
    "memory": "It took more memory than an answer may have (2 GiB).",
    "processes": f"It started more processes and threads than an answer may have ({PROCESSES}).",
}
_CALLS = {
    "execve": "starts another program",
    "execveat": "starts another program",
    "socket": "opens a connection to the network",
    "clone": "makes a namespace of its own",
    "unshare": "makes a namespace of its own",
}
_MEANING = {"SIGSEGV": " (invalid memory access)", "SIGABRT": " (abort)", "SIGKILL": " (killed)"}
