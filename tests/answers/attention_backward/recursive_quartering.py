"""Einsum throughout; flash walks the grid of tiles by recursive quartering and collects with index_add_."""

import torch


def attention_backward(grad_output, query, key, value, weights):
    scale = query.shape[-1] ** -0.5
    grad_weights = torch.einsum("bhiv,bhjv->bhij", grad_output, value)
    inner = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - inner) * scale
    return (
        torch.einsum("bhij,bhjd->bhid", grad_scores, key),
        torch.einsum("bhij,bhid->bhjd", grad_scores, query),
        torch.einsum("bhij,bhiv->bhjv", weights, grad_output),
    )


def flash_attention_backward(
    grad_output, query, key, value, output, logsumexp, block_size=64, is_causal=False
):
    grads = query.new_zeros(query.shape), key.new_zeros(key.shape), value.new_zeros(value.shape)
    delta = torch.mul(grad_output, output).sum(dim=-1)
    scale = query.shape[-1] ** -0.5

    def tile(row, column):
        i, j = (
            torch.arange(n * block_size, min((n + 1) * block_size, t.shape[2]), device=t.device)
            for n, t in ((row, query), (column, key))
        )
        q, g = query.index_select(2, i), grad_output.index_select(2, i)
        k, v = key.index_select(2, j), value.index_select(2, j)
        log_p = torch.einsum("bhid,bhjd->bhij", q, k) * scale - logsumexp.index_select(2, i)[..., None]
        if is_causal and row == column:
            log_p = torch.where(j <= i[:, None], log_p, float("-inf"))
        p = log_p.exp()
        ds = p * (torch.einsum("bhid,bhjd->bhij", g, v) - delta.index_select(2, i)[..., None]) * scale
        grads[0].index_add_(2, i, torch.einsum("bhij,bhjd->bhid", ds, k))
        grads[1].index_add_(2, j, torch.einsum("bhij,bhid->bhjd", ds, q))
        grads[2].index_add_(2, j, torch.einsum("bhij,bhid->bhjd", p, g))

    def walk(top, bottom, left, right):
        if top >= bottom or left >= right or (is_causal and left >= bottom):
            return
        if bottom - top == 1 and right - left == 1:
            tile(top, left)
            return
        middle, centre = (top + bottom + 1) // 2, (left + right + 1) // 2
        for rows in ((top, middle), (middle, bottom)):
            for columns in ((left, centre), (centre, right)):
                walk(*rows, *columns)

    walk(0, -(-query.shape[2] // block_size), 0, -(-key.shape[2] // block_size))
    return grads
