"""Full index tables by meshgrid; reduce over the functions; partial instead of closures."""

import functools
import operator

import torch


def causal(batch, head, q, kv):
    return torch.ge(q, kv)


def _window(window, batch, head, q, kv):
    distance = q - kv
    return torch.logical_and(distance >= 0, distance < window)


def sliding_window(window):
    return functools.partial(_window, window)


def chunked(chunk_size):
    def same_chunk(_batch, _head, q, kv):
        return torch.div(q, chunk_size, rounding_mode="floor") == torch.div(
            kv, chunk_size, rounding_mode="floor"
        )

    return same_chunk


def padding(keep):
    return lambda b, h, q, kv: keep[b.expand_as(b + kv), kv.expand_as(b + kv)]


def packed(sequence_ids):
    return lambda b, h, q, kv: torch.eq(sequence_ids[b, q], sequence_ids[b, kv])


def _combined(operation, first, fns):
    def combined(*at):
        nothing = torch.full_like(at[2], first, dtype=torch.bool)
        return functools.reduce(operation, [fn(*at) for fn in fns], nothing)

    return combined


def and_masks(*fns):
    return _combined(operator.and_, True, fns)


def or_masks(*fns):
    return _combined(operator.or_, False, fns)


def offset(fn, q_offset, kv_offset):
    return lambda batch, head, q, kv: fn(batch, head, q_offset + q, kv_offset + kv)


def materialize(fn, batch, heads, q_len, kv_len):
    at = torch.meshgrid(*map(torch.arange, (batch, heads, q_len, kv_len)), indexing="ij")
    return torch.broadcast_to(fn(*at), (batch, heads, q_len, kv_len)).clone()


def render(mask):
    signs = {1: "■", 0: "⬚"}
    return "\n".join([" ".join([signs[kept] for kept in row]) for row in mask.int().tolist()])
