from collections import deque

import numpy as np


def moving_average(x, window):
    if window < 1:
        raise ValueError("an empty window has no mean")
    buffer, total, means = deque(), np.zeros(x.shape[1]), np.empty(x.shape)
    for step, row in enumerate(x.astype(float)):
        buffer.append(row)
        total = total + row
        if len(buffer) > window:
            total = total - buffer.popleft()
        means[step] = total / len(buffer)
    return means
