"""Rows go out unsorted and the owner sorts them; index_add at home; NumPy keeps the books."""

import numpy as np
import torch


def expert_parallel(xs, expert_ids, weights, experts, collectives):
    per_rank, world_size = len(experts[0]), len(xs)
    sends, told, kept = [], [], []
    for x, ids in zip(xs, expert_ids, strict=True):
        owners = (ids // per_rank).cpu().numpy()
        where = [np.argwhere(owners == rank) for rank in range(world_size)]  # rows of (token, choice)
        where = [torch.as_tensor(pairs, device=x.device) for pairs in where]
        kept.append(where)
        sends.append([x[pairs[:, 0]] for pairs in where])
        told.append([ids[pairs[:, 0], pairs[:, 1]] % per_rank for pairs in where])
    local = collectives.all_to_all(sends=told)
    arrived = collectives.all_to_all(sends=sends)
    replies = []
    for rank in range(world_size):
        rows, numbers = torch.vstack(arrived[rank]), torch.hstack(local[rank])
        numbers, order = torch.sort(numbers, stable=True)
        rows = rows[order]
        made = []
        for number in torch.unique(numbers).tolist():
            made.append(experts[rank][number](rows[numbers == number]))
        result = rows.clone()
        if made:
            result[order] = torch.cat(made)
        bounds = np.cumsum([len(each) for each in arrived[rank]])[:-1].tolist()
        replies.append(torch.tensor_split(result, bounds))
    outputs = [torch.zeros_like(x) for x in xs]
    for rank, parts in enumerate(collectives.all_to_all(replies)):
        for pairs, part in zip(kept[rank], parts, strict=True):
            scale = weights[rank][pairs[:, 0], pairs[:, 1]]
            outputs[rank].index_add_(0, pairs[:, 0], part * scale.reshape(-1, 1))
    return outputs
