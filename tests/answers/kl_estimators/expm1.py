"""With expm1, match and assert; outputs written into new tensors."""

import torch


def kl_estimate(log_probs, reference_log_probs, kind="k3"):
    assert kind in ("k1", "k2", "k3"), kind
    delta = torch.sub(reference_log_probs, log_probs)
    match kind:
        case "k1":
            return torch.neg(delta)
        case "k2":
            return torch.mul(delta, delta).mul(0.5)
    return torch.expm1(delta).sub(delta)
