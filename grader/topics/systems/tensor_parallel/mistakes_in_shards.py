"""Known wrong versions of the parallel blocks: how weights are cut, and what is computed with them."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import mask_mistakes, score_mistakes

_SHARD = "weight.chunk(world_size, dim)[rank]"
_CLONE = "shard.detach().clone(memory_format=torch.contiguous_format).requires_grad_()"


def all_heads_on_a_rank(id_: str, cut: str) -> Mistake:
    """`cut`: how the features are cut into heads. What raises names it."""
    return Mistake(
        id_,
        find="                .unflatten(-1, (-1, self.head_dim))\n",
        replace=f"                .{cut}\n",
        also=(("        self.head_dim =", "        self.num_heads = num_heads\n        self.head_dim ="),),
        says="You cut a rank's features into all num_heads heads, which raises where they do not fit. A rank "
        "has num_heads / world_size heads, each with hidden / num_heads features.",
    )


MISTAKES = [
    Mistake(
        "second-weight-cut-by-rows",
        find="dim = 1 if name == by_columns else 0",
        replace="dim = 0",
        says="You cut the second weight (down_proj, o_proj) by rows, that is by outputs. Its inputs are "
        "shared out over the ranks: cut its columns, dim 1.",
    ),
    Mistake(
        "last-projection-taken-for-its-transpose",
        find="dim = 1 if name == by_columns else 0",
        replace='dim = 1 if name == by_columns != "o_proj.weight" else 0',
        also=(('F.linear(context, held["o_proj.weight"])', 'context @ held["o_proj.weight"]'),),
        says="In ParallelAttention you cut the rows of o_proj.weight and multiply by them untransposed, as "
        "if the weight were (in, out). It is (out, in), like that of nn.Linear: the inputs, which are shared "
        "out over the ranks, are its columns, and the product is context @ weight.T.",
    ),
    Mistake(
        "last-bias-cut",
        find="shard = weight if name == whole else weight.chunk",
        replace="shard = weight.chunk",
        says="You cut the last bias too. It is added to the whole sum on every rank: each holds all of it.",
    ),
    Mistake(
        "rows-dealt-out",
        find=_SHARD,
        replace="(weight[rank::world_size] if dim == 0 else weight[:, rank::world_size])",
        says="You deal rows and columns out one by one: rank r gets r, r + w, … In attention that gives a "
        "rank parts of heads. Each rank gets a contiguous chunk.",
    ),
    Mistake(
        "ranks-in-reverse",
        find=_SHARD,
        replace="weight.chunk(world_size, dim)[-1 - rank]",
        says="You give rank 0 the last chunk. The output is right, but rank r is to hold chunk r.",
    ),
    Mistake(
        "shards-are-views",
        find=_CLONE,
        replace="shard.detach().requires_grad_()",
        says="Your shards are views of the full weights, which so stay in memory with every shard, and "
        "change with it. clone() them.",
    ),
    Mistake(
        "shards-without-gradients",
        find=_CLONE,
        replace="shard.detach().clone(memory_format=torch.contiguous_format)",
        says="What your ranks hold does not require gradients, so it cannot be trained: requires_grad_().",
    ),
    Mistake(
        "shards-are-no-leaves",
        find=_CLONE,
        replace="shard.detach().requires_grad_().clone(memory_format=torch.contiguous_format)",
        says="You set requires_grad before the last operation, so what your ranks hold are no leaves, and "
        "get no .grad. Clone first, then requires_grad_().",
    ),
    *score_mistakes.other_scales("query @ key.transpose(-2, -1)", "self.head_dim", "head_dim"),
    mask_mistakes.fills_zero("later"),
    Mistake(
        "scale-of-the-rank",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(self.head_dim * len(self.ranks[0]['o_proj.weight'][0]) // self.head_dim)",
        says="You scale the scores by the square root of a rank's width. A score is a sum over the features "
        "of one head: sqrt(head_dim), however many heads a rank has.",
    ),
    Mistake(
        "scale-missing",
        find=" / math.sqrt(self.head_dim)",
        replace="",
        says="You do not scale the scores. Divide them by sqrt(head_dim).",
    ),
    Mistake(
        "one-head-per-rank",
        find="self.head_dim = hidden_size // num_heads",
        replace="self.head_dim = hidden_size // world_size",
        says="You make one head of all features of a rank. A rank has num_heads / world_size heads of hidden "
        "/ num_heads features.",
    ),
    Mistake(
        "head-size-of-the-rank",
        find="self.head_dim = hidden_size // num_heads",
        replace="self.head_dim = max(hidden_size // world_size // num_heads, 1)",
        says="You cut a rank's features into num_heads heads. It has num_heads / world_size of them: a "
        "head's size is hidden / num_heads, as in the uncut block.",
    ),
    *(
        all_heads_on_a_rank(f"all-heads-{id_}on-every-rank", cut)
        for id_, cut in (
            ("", "view(*x.shape[:2], self.num_heads, self.head_dim // len(xs))"),
            ("of-full-size-", "view(*x.shape[:2], self.num_heads, self.head_dim)"),
            ("of-full-size-by-unflatten-", "unflatten(-1, (self.num_heads, self.head_dim))"),
            ("of-full-size-in-fewer-places-", "view(len(x), -1, self.num_heads, self.head_dim)"),
            ("of-whatever-size-", "view(*x.shape[:2], self.num_heads, -1)"),
        )
    ),
    Mistake(
        "heads-split-the-wrong-way",
        find="                .unflatten(-1, (-1, self.head_dim))\n                .transpose(1, 2)",
        replace="                .unflatten(-1, (self.head_dim, -1))\n                .permute(0, 3, 1, 2)",
        says="You take every n-th feature for a head. Head i has the features i * head_dim … (i + 1) * "
        "head_dim - 1: heads before features in the view.",
    ),
    Mistake(
        "not-causal",
        find="scores.masked_fill(later, -math.inf)",
        replace="scores",
        says="Your attention is not causal: a token attends to itself and those before it only.",
    ),
    Mistake(
        "own-token-hidden",
        find=".triu(1)",
        replace=".triu(0)",
        says="Your causal mask hides a token's own key too, so the first sees nothing, and its row is NaN.",
    ),
    Mistake(
        "mask-on-the-default-device",
        find="torch.ones_like(scores[0, 0], dtype=torch.bool)",
        replace="torch.ones(scores.shape[-2:], dtype=torch.bool)",
        says="You make the causal mask on the default device, wherever the xs are. Give it theirs: "
        "device=x.device.",
    ),
    Mistake(
        "gelu-by-tanh",
        find='hidden = F.gelu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]))',
        replace='hidden = F.gelu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]), '
        'approximate="tanh")',
        says="You use GELU's tanh approximation. The exact one, with erf, is asked for.",
    ),
    Mistake(
        "relu",
        find='hidden = F.gelu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]))',
        replace='hidden = F.relu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]))',
        says="You use ReLU between the layers. Exact GELU is asked for.",
    ),
    Mistake(
        "everything-on-every-rank",
        find='            hidden = F.gelu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]))\n',
        replace="""\
            names = ("up_proj.weight", "up_proj.bias")
            everything = [torch.cat([each[name] for each in self.ranks]) for name in names]
            hidden = F.gelu(F.linear(x, *everything)).chunk(len(self.ranks), dim=-1)[len(partial)]
""",
        says="In ParallelMLP every rank computes all hidden features, with the other ranks' shards, and uses "
        "its chunk of them. It is to compute with its own shards: so the work is shared out.",
    ),
    Mistake(
        "indivisible-intermediate-accepted",
        find='        if weights["up_proj.weight"].shape[0] % world_size != 0:\n',
        replace="        if False:\n",
        says="ParallelMLP accepts an intermediate size that the ranks do not divide. Raise a ValueError.",
    ),
    Mistake(
        "indivisible-heads-accepted",
        find="        if num_heads % world_size != 0:\n",
        replace="        if hidden_size % world_size != 0:\n",
        says="ParallelAttention accepts a number of heads that the ranks do not divide, as long as they "
        "divide the features: heads would be cut. Raise a ValueError.",
    ),
    Mistake(
        "indivisible-features-accepted",
        find="        if hidden_size % num_heads != 0:\n",
        replace="        if False:\n",
        says="ParallelAttention accepts a hidden size that num_heads does not divide. Raise a ValueError.",
    ),
    instance_mistakes.kept_on_the_class(
        "        self.head_dim = hidden_size // num_heads\n", "the size of a head"
    ),
    *(
        Mistake(
            f"g-hands-on-the-{which}-ranks-gradient",
            find="return None, *gradients\n",
            replace=f"return None, *[gradients[{place}]] * len(gradients)\n",
            says=f"In your g all ranks get the gradient of the {which} rank's sum. Each rank's x gets the "
            "gradient of that rank's own sum. They are equal only where everything behind is.",
        )
        for which, place in (("first", 0), ("last", -1))
    ),
    Mistake(
        "g-averages-gradients-without-a-collective",
        find="return None, *gradients\n",
        replace="return None, *[sum(gradients) / len(gradients)] * len(gradients)\n",
        says="In your g each rank gets the mean of all ranks' gradients. Each rank's x gets the gradient of "
        "that rank's own sum, as it is: nothing is sent there.",
    ),
    Mistake(
        "g-hands-on-gradients-turned-round",
        find="return None, *gradients\n",
        replace="return None, *gradients[::-1]\n",
        says="In your g a rank gets another rank's gradient. Each rank's x gets the gradient of that rank's "
        "own sum.",
    ),
]
