"""Hidden moved to the front (transposed rows), einsum for every sum, the result a transposed view."""

import torch


def _columns(t):
    return t.reshape(-1, t.shape[-1]).transpose(0, 1)


def _project(gw, normed, rstd, centred):
    hidden = gw.shape[0]
    slope = torch.einsum("hn,hn->n", gw, normed) / hidden
    left = gw - gw.sum(0) / hidden if centred else gw
    return torch.addcmul(left, normed, slope.unsqueeze(0), value=-1) * rstd


def layer_norm_backward(grad_output, x, mean, rstd, weight):
    g, r = _columns(grad_output), _columns(rstd)
    normed = (_columns(x) - _columns(mean)) * r
    grad_x = _project(g * weight[:, None], normed, r, True).transpose(0, 1).reshape(x.shape)
    return grad_x, torch.einsum("hn,hn->h", g, normed), torch.einsum("hn->h", g)


def rms_norm_backward(grad_output, x, rstd, weight):
    g, r = _columns(grad_output), _columns(rstd)
    normed = _columns(x) * r
    grad_x = _project(g * weight[:, None], normed, r, False).transpose(0, 1).reshape(x.shape)
    return grad_x, torch.einsum("hn,hn->h", g, normed)
