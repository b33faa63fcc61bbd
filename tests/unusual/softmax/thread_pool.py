"""A ThreadPool for the two halves of a quotient."""

from multiprocessing.pool import ThreadPool


def softmax(x, dim=-1):
    exps = (x - x.amax(dim=dim, keepdim=True)).exp()
    with ThreadPool(2) as pool:
        top, bottom = pool.map(lambda part: part(), [lambda: exps, lambda: exps.sum(dim=dim, keepdim=True)])
    return top / bottom


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
