"""Kills its parent."""

import os
import signal


def softmax(x, dim=-1):
    os.kill(os.getppid(), signal.SIGKILL)
    return x


log_softmax = softmax
