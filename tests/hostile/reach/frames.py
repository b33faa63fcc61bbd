"""Goes through the frames around it, which are handed to a handler of signals, for what they know by name."""

import signal

import torch

NAMES = ("backward", "self", "request", "function", "part", "Host", "link", "guard", "space", "refuse")


def frames():
    kept = []
    before = signal.signal(signal.SIGUSR1, lambda _, frame: kept.append(frame))
    signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)
    frame = kept.pop()
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            yield frame
        frame = frame.f_back


def looked():
    spaces = [vars_ for each in frames() for vars_ in (each.f_globals, each.f_locals, each.f_builtins)]
    found = [name for space in spaces for name in NAMES if name in space]
    for depth in range(1, 12):
        look = torch.jit._script._jit_internal.createResolutionCallbackFromFrame(depth)
        found += [name for name in NAMES if look(name) is not None]
    return len(spaces), found


def softmax(x, dim=-1):
    print("in {} spaces are {}".format(*looked()))
    return x


def log_softmax(x, dim=-1):
    return x
