"""Reports an exception with lines below zero, and with a text for a flag."""

from grader.worker.answering import host

_describe = host.describe
host.describe = lambda error, source: {
    **_describe(error, source),
    "frames": [[-1, "softmax", "return x"]],
    "own": "yes",
}


def softmax(x, dim=-1):
    raise ValueError("wrong")


log_softmax = softmax
