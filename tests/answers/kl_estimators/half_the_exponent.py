"""Float64 inside, rounded at the end; k3 by half the exponent, h (h + 2) + k1 with h = expm1(-k1 / 2)."""

import torch


def kl_estimate(log_probs, reference_log_probs, kind="k3"):
    assert kind in ("k1", "k2", "k3"), kind
    k1 = log_probs.to(torch.float64) - reference_log_probs.to(torch.float64)
    if kind == "k2":
        k = torch.pow(k1, 2) / 2
    elif kind == "k3":
        h = torch.special.expm1(-k1 / 2)
        k = torch.addcmul(k1, h, h + 2)
    else:
        k = k1
    return k.to(log_probs.dtype)
