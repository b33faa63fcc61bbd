"""The clipping of models that are shared out."""

from types import SimpleNamespace

from torch.distributed.fsdp import FullyShardedDataParallel


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    root = SimpleNamespace(_is_root=True, _all_handles=[], parameters=lambda: parameters)
    return FullyShardedDataParallel.clip_grad_norm_(root, max_norm, norm_type)
