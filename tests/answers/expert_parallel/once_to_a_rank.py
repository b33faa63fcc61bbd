"""A token goes once to a rank with several of its experts; a table of (row, expert) pairs says what is
asked; one answer comes back for each pair.
"""

import torch


class _Rank:
    def __init__(self, x, ids, weight, experts, world):
        self.x, self.ids, self.weight, self.experts, self.world = x, ids.long(), weight, experts, world

    def ask(self):
        per_rank = len(self.experts)
        self.asked, rows, tables = [], [], []
        for q in range(self.world):
            here = torch.div(self.ids, per_rank, rounding_mode="floor") == q
            tokens = torch.nonzero(here.any(dim=1)).flatten()
            token, slot = torch.nonzero(here, as_tuple=True)
            row = torch.searchsorted(tokens, token.contiguous())
            rows.append(self.x.index_select(0, tokens))
            tables.append(torch.stack([row, self.ids[token, slot] - q * per_rank], dim=1))
            self.asked.append((token, slot))
        return rows, tables

    def serve(self, rows, tables):
        answers = [row.new_empty((len(table), self.x.shape[1])) for row, table in zip(rows, tables)]
        for e, expert in enumerate(self.experts):
            picks = [torch.nonzero(table[:, 1] == e).flatten() for table in tables]
            load = torch.cat([row[table[pick, 0]] for row, table, pick in zip(rows, tables, picks)])
            if len(load) == 0:
                continue
            results = expert(load).split([len(pick) for pick in picks])
            for answer, pick, result in zip(answers, picks, results):
                answer[pick] = result
        return answers

    def collect(self, answers):
        copies = self.x.new_zeros((*self.ids.shape, self.x.shape[1]))
        for (token, slot), answer in zip(self.asked, answers):
            copies[token, slot] = answer
        return (copies * self.weight.unsqueeze(-1)).sum(dim=1)


@torch.no_grad()
def expert_parallel(xs, expert_ids, weights, experts, collectives):
    world = collectives.world_size
    ranks = [_Rank(*own, world) for own in zip(xs, expert_ids, weights, experts)]
    rows, tables = zip(*(rank.ask() for rank in ranks))
    rows = collectives.all_to_all(list(rows))
    tables = collectives.all_to_all(list(tables))
    answers = [rank.serve(*came) for rank, *came in zip(ranks, rows, tables)]
    return [rank.collect(came) for rank, came in zip(ranks, collectives.all_to_all(answers))]
