"""Leaves children, a daemon in a session of its own, and threads behind."""

import os
import threading
import time


def softmax(x, dim=-1):
    for step in range(3):
        if os.fork() == 0:
            os.setsid()
            if step == 2 or os.fork() == 0:
                time.sleep(60)
            os._exit(0)
    threading.Thread(target=time.sleep, args=(60,)).start()
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return x


log_softmax = softmax
