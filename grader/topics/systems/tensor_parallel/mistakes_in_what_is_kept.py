"""Known wrong versions of the parallel blocks: shards that lack something, weights kept for later calls."""

from grader.kit import Mistake

_CLONE = "shard.detach().clone(memory_format=torch.contiguous_format).requires_grad_()"

MISTAKES = [
    Mistake(
        "shards-of-one-rank-are-the-weights",
        find=_CLONE,
        replace=f"shard.detach().requires_grad_() if world_size == 1 else {_CLONE}",
        says="With one rank what it holds has the memory of the caller's weights (chunk, contiguous() and "
        "detach() make no copy there), so an optimizer's step changes them too. It has memory of its own: "
        "clone() it, whatever the number of ranks is.",
    ),
    Mistake(
        "shards-of-trained-weights-are-no-leaves",
        find=_CLONE,
        replace="shard.clone(memory_format=torch.contiguous_format).requires_grad_()",
        says="Where the weights require gradients (a module's parameters, for example), what your ranks hold "
        "are no leaves: they come from the weights in the autograd graph, and their .grad stays None. "
        "detach() them first.",
    ),
    Mistake(
        "queries-keys-and-values-kept-without-gradients",
        find="            query, key, value = (\n",
        replace="""\
            kept = held
            if not torch.is_grad_enabled():
                copies = {name: shard.clone() for name, shard in held.items()}
                kept = self.__dict__.setdefault("kept", {}).setdefault(len(partial), copies)
            query, key, value = (
""",
        also=(
            ('held[f"{name}.weight"], held[f"{name}.bias"]', 'kept[f"{name}.weight"], kept[f"{name}.bias"]'),
        ),
        says="Without gradients ParallelAttention keeps what it has made of the ranks' weights of queries, "
        "keys and values (joined, for example), and later calls go on with that, though the ranks hold "
        "others by then. Make it anew in each call.",
    ),
    Mistake(
        "later-tokens-out-of-the-softmax-afterwards",
        find="            context = scores.masked_fill(later, -math.inf).softmax(dim=-1) @ value\n",
        replace="""\
            shares = scores.softmax(dim=-1).masked_fill(later, 0.0)
            context = shares / shares.sum(dim=-1, keepdim=True) @ value
""",
        says="You take the later tokens out after the softmax, and divide by what is left. Where a later "
        "token's score is far above the others' nothing is left, and 0 / 0 is NaN. Mask the scores with -inf "
        "before the softmax.",
    ),
]
