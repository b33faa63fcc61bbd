"""Known wrong versions of `flash_attention` in a backward pass of one's own; all values are right."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

RESULT = "        results.append(output / denominator)\n"
SCALE = "    query = query / math.sqrt(head_dim)\n"

QUERY_UNSCALED = "    query = query + (query / math.sqrt(head_dim) - query).detach()\n"
KEY_UNSCALED = "    key = key * math.sqrt(head_dim) + (key - key * math.sqrt(head_dim)).detach()\n"


def unmasked(id_: str, kv_end: str, where: str) -> Mistake:
    """The weights made again from the scores and the row's logsumexp, as if nothing were hidden."""
    return Mistake(
        id_,
        find=RESULT,
        replace=f"""\
        result = output / denominator
        if result.requires_grad:
            lse, result = (largest + denominator.log()).detach(), result.detach()
            known = result
            for k_start in range(0, {kv_end}, block_size):
                columns = slice(k_start, k_start + block_size)
                weights = torch.exp(q_block @ key[:, :, columns].transpose(-2, -1) - lse)
                # Its gradient by the scores is P * (dO V^T - D), and that by the values P^T dO.
                change = weights @ value[:, :, columns] - weights.sum(dim=-1, keepdim=True) * known
                result = result + (change - change.detach())
        results.append(result)
""",
        says="Your values are right, but backward makes the weights again without the causal mask, so "
        f"gradients flow between queries and keys that are hidden from them{where}. Hide "
        "these scores there too: such weights are 0.",
    )


MISTAKES = [
    *(
        Mistake(
            f"sum-so-far-detached{ending}",
            find="output = output * correction",
            replace="output = output.detach() * correction",
            also=also,
            says="You detach what is summed up so far (because of an operation in place, for example), so "
            "that gradients come from the last block of keys alone. Make a new tensor: output = output * "
            "correction.",
        )
        for ending, also in (
            ("", ()),
            ("-and-the-maximum", (("scores.amax(dim=-1", "scores.detach().amax(dim=-1"),)),
        )
    ),
    *right_once("torch.cat(results, dim=2)"),
    unmasked("backward-without-the-mask", "kv_end", " in the tiles on the diagonal"),
    unmasked("backward-without-any-mask", "key.shape[2]", ", in the tiles above the diagonal too"),
    *(
        Mistake(
            id,
            find=SCALE,
            replace=replace,
            says=f"Your values are right, but the gradient{words} sqrt(head_dim) times too large. The scores "
            "are scaled, so the gradients of query and key are too: dQ = dS K / sqrt(head_dim), and dK = "
            "dS^T Q / sqrt(head_dim).",
        )
        for id, replace, words in (
            ("query-gradient-not-scaled", QUERY_UNSCALED, " of query is"),
            ("key-gradient-not-scaled", SCALE + KEY_UNSCALED, " of key is"),
            ("gradients-not-scaled", QUERY_UNSCALED + KEY_UNSCALED, "s of query and key are"),
        )
    ),
    *(
        Mistake(
            name,
            find="            new_largest = ",
            replace=f"""\
            if k_start >= {first}:
                denominator, output = denominator.detach(), output.detach()
            new_largest = """,
            says="Your values are right, but the gradients lack the earlier blocks of keys: what is summed "
            "so far is a constant when a further block comes (detached, or written to under no_grad, for "
            "example). Every block belongs to the graph.",
        )
        for name, first in (("earlier-blocks-detached", "block_size"), ("first-64-keys-detached", 64))
    ),
]
