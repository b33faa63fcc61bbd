"""Never ends, ignores signals and catches everything."""

import signal
import time


def softmax(x, dim=-1):
    for number in range(1, 64):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass


log_softmax = softmax
