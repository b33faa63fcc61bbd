"""Sends itself SIGKILL."""

import os
import signal


def softmax(x, dim=-1):
    os.kill(os.getpid(), signal.SIGKILL)


log_softmax = softmax
