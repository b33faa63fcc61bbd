"""Lists and floats; draws by walking the cumulative sum; does not call verify when it decodes."""

import torch


class Chance:
    def __init__(self, generator):
        self.generator = generator

    def number(self):
        return torch.rand(1, generator=self.generator, dtype=torch.float64).item()

    def pick(self, weights):
        left = self.number() * sum(weights)
        last = None
        for token, weight in enumerate(weights):
            if weight > 0:
                last = token
                if left < weight:
                    return token
                left -= weight
        return last


def checked(tokens, q, p, chance):
    out = []
    for i, x in enumerate(tokens):
        if p[i][x] < q[i][x] and chance.number() > p[i][x] / q[i][x]:
            return [*out, chance.pick([max(0.0, a - b) for a, b in zip(p[i], q[i], strict=True)])]
        out.append(x)
    return [*out, chance.pick(p[len(tokens)])]


def verify(draft_tokens, draft_probs, target_probs, generator=None):
    new = checked(draft_tokens.tolist(), draft_probs.tolist(), target_probs.tolist(), Chance(generator))
    return draft_tokens.new_tensor(new)


def speculative_decode(target, draft, prompt, num_tokens, num_drafts, generator=None):
    if num_drafts <= 0:
        raise AssertionError("nothing to verify")
    chance, tokens, n = Chance(generator), prompt.tolist(), len(prompt)
    while len(tokens) - n < num_tokens:
        guesses, q = [], []
        while len(guesses) < num_drafts:
            q.append(draft(prompt.new_tensor(tokens + guesses))[-1].tolist())
            guesses.append(chance.pick(q[-1]))
        p = target(prompt.new_tensor(tokens + guesses))
        tokens += checked(guesses, q, p[-len(guesses) - 1 :].tolist(), chance)
    return prompt.new_tensor(tokens[n : n + num_tokens])
