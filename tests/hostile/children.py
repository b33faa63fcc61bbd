"""Leaves children, daemons in sessions of their own, and threads behind. Of children, only so many may be."""

import os
import threading
import time

calls = 0


def softmax(x, dim=-1):
    global calls
    calls += 1
    for step in range(3 if calls <= 9 else 0):
        if os.fork() == 0:
            os.setsid()
            if step == 2 or os.fork() == 0:
                time.sleep(60)
            os._exit(0)
    threading.Thread(target=time.sleep, args=(60,)).start()
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return x


log_softmax = softmax
