"""Locks, queues and events of multiprocessing, and a child that is forked."""

import multiprocessing

_context = multiprocessing.get_context("fork")
_lock, _event, _seen = _context.Lock(), _context.Event(), _context.Value("i", 0)


def _note():
    with _seen.get_lock():
        _seen.value += 1
    _event.set()


_child = _context.Process(target=_note)
_child.start()
_child.join()
assert _event.is_set() and _seen.value == 1


def softmax(x, dim=-1):
    with _lock:
        exps = (x - x.amax(dim=dim, keepdim=True)).exp()
        return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
