"""A token goes once to each rank that it needs, with a mask of the experts there."""

import torch


def expert_parallel(xs, expert_ids, weights, experts, collectives):
    ranks, local = range(collectives.world_size), len(experts[0])
    total = collectives.world_size * local
    tables = []  # (tokens, experts): the weight, and whether it is chosen
    for x, ids, weight in zip(xs, expert_ids, weights, strict=True):
        chosen = torch.zeros(len(x), total, dtype=torch.bool, device=x.device).scatter(1, ids, True)
        tables.append((chosen, x.new_zeros(len(x), total).scatter_add(1, ids, weight)))
    here = [[chosen[:, q * local : (q + 1) * local] for q in ranks] for chosen, _ in tables]
    needed = [[mask.any(1).nonzero().squeeze(1) for mask in row] for row in here]
    rows = collectives.all_to_all([[x[n] for n in row] for x, row in zip(xs, needed, strict=True)])
    masks = collectives.all_to_all(
        [[m[n] for m, n in zip(*pair, strict=True)] for pair in zip(here, needed, strict=True)]
    )
    answers = []
    for q in ranks:
        row, mask = torch.cat(rows[q]), torch.cat(masks[q])
        made = row.new_zeros(len(row), local, row.shape[1])
        for number in range(local):
            if mask[:, number].any():
                made[mask[:, number], number] = experts[q][number](row[mask[:, number]])
        sizes = [len(piece) for piece in rows[q]]
        pieces = zip(made.split(sizes), mask.split(sizes), strict=True)
        answers.append([m[used] for m, used in pieces])  # only what was asked for
    answers = collectives.all_to_all(answers)
    outputs = []
    for r in ranks:
        output = torch.zeros_like(xs[r])
        for q in ranks:
            token, number = here[r][q].nonzero(as_tuple=True)
            factor = tables[r][1][token, q * local + number]
            output.index_add_(0, token, factor.unsqueeze(1) * answers[r][q])
        outputs.append(output)
    return outputs
