"""To be written behind a right answer to heap_top_k: a child that could compute is made beforehand."""

import os
import signal

_child = os.fork()
if _child == 0:
    signal.pause()
