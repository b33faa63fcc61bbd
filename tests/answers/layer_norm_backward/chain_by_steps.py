"""Step by step through the graph of forward, as micrograd would: each line of forward has one of backward."""

import torch


def layer_norm_backward(grad_output, x, mean, rstd, weight):
    n = x.size(-1)
    centered = x - mean
    xhat = centered * rstd
    rows_g, rows_h = grad_output.reshape(-1, n), xhat.reshape(-1, n)
    dweight = torch.zeros_like(weight)
    dbias = torch.zeros_like(weight)
    for g, h in zip(rows_g, rows_h, strict=True):
        dweight = dweight + g * h
        dbias = dbias + g
    dxhat = grad_output * weight
    drstd = (dxhat * centered).sum(-1, keepdim=True)
    dcentered = dxhat * rstd
    dvar = -0.5 * rstd**3 * drstd
    dcentered = dcentered + dvar * 2 * centered / n
    dmean = -dcentered.sum(-1, keepdim=True)
    return dcentered + dmean / n, dweight, dbias


def rms_norm_backward(grad_output, x, rstd, weight):
    n = x.size(-1)
    dy = grad_output * weight
    drstd = (dy * x).sum(-1, keepdim=True)
    dx = dy * rstd - rstd.pow(3) * drstd * x / n
    return [dx, torch.einsum("rn,rn->n", grad_output.reshape(-1, n), (x * rstd).reshape(-1, n))]
