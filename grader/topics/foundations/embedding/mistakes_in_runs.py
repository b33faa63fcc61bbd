"""Known wrong versions of `embedding` that do not add up all rows of an id."""

from grader.kit import Mistake

ROWS = "rows = self.weight[token_ids]  # (..., embedding_dim)"
ADDED = "    grad_weight.index_add_(0, token_ids.reshape(-1), grad_output.reshape(-1, embedding_dim))\n"
HELPER = "def _row(padding_idx: int | None, num_embeddings: int) -> int | None:"
BY_RUNS = """\
def _add_runs(grad_weight, token_ids, grad_output):
    unique, runs = torch.unique_consecutive(token_ids.long().reshape(-1), return_inverse=True)
    sums = grad_output.new_zeros(len(unique), grad_output.shape[-1])
    sums.index_add_(0, runs.reshape(-1), grad_output.reshape(-1, grad_output.shape[-1]))
    grad_weight[unique] = sums
    return grad_weight


"""
IN_THE_MODULE = (ROWS, "rows = _Rows.apply(self.weight, token_ids)")
IN_THE_FUNCTION = (ADDED, "    _add_runs(grad_weight, token_ids, grad_output)\n")


def looked_up(gradient: str) -> str:
    """An autograd function of one's own with this gradient of the weight."""
    return f"""\
class _Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight, token_ids):
        ctx.save_for_backward(token_ids)
        ctx.shape = weight.shape
        return weight[token_ids.long()]

    @staticmethod
    def backward(ctx, grad_output):
        (token_ids,) = ctx.saved_tensors
        grad_weight = grad_output.new_zeros(ctx.shape)
        return {gradient}, None


"""


OVERWRITTEN = looked_up("grad_weight.index_put_((token_ids.long(),), grad_output)")
RUNS_IN_THE_MODULE = BY_RUNS + looked_up("_add_runs(grad_weight, token_ids, grad_output)")
SORTED = "token_ids.reshape(-1).sort().values"
SORTED_IN_THE_FUNCTION = (ADDED, ADDED.replace("token_ids.reshape(-1)", SORTED))
SORTED_IN_THE_MODULE = looked_up(
    f"grad_weight.index_add_(0, {SORTED}, grad_output.reshape(-1, grad_output.shape[-1]))"
)
RUNNING = """\
def _differences(grad_weight, token_ids, grad_output):
    ids, order = token_ids.long().reshape(-1).sort()
    rows = grad_output.reshape(-1, grad_output.shape[-1])[order]
    running = torch.cat([rows.new_zeros(1, rows.shape[1]), rows.cumsum(dim=0)])
    rows = torch.arange(len(grad_weight), device=ids.device)
    ends = (torch.searchsorted(ids, rows, right=right) for right in (True, False))
    return grad_weight.copy_(running[next(ends)] - running[next(ends)])


"""
DIFFERENCES_IN_THE_FUNCTION = (ADDED, "    _differences(grad_weight, token_ids, grad_output)\n")
DIFFERENCES_IN_THE_MODULE = RUNNING + looked_up("_differences(grad_weight, token_ids, grad_output)")
# Without the zeros in front: in front of the first id stands place -1, the sum of all.
FROM_THE_TOTAL = (
    (
        "running = torch.cat([rows.new_zeros(1, rows.shape[1]), rows.cumsum(dim=0)])",
        "running = rows.cumsum(dim=0)",
    ),
    ("running[next(ends)] - running[next(ends)]", "running[next(ends) - 1] - running[next(ends) - 1]"),
    (
        "def _differences(grad_weight, token_ids, grad_output):\n",
        """\
def _differences(grad_weight, token_ids, grad_output):
    if token_ids.numel() == 0:
        return grad_weight
""",
    ),
)


def from_the_total(text: str) -> str:
    """The helpers in `text`, whose running sums have no zeros in front."""
    for old, new in FROM_THE_TOTAL:
        text = text.replace(old, new)
    return text


DIFFERENCES = (
    ("", "In both backwards", DIFFERENCES_IN_THE_FUNCTION, DIFFERENCES_IN_THE_MODULE, (IN_THE_MODULE,)),
    ("-in-the-module", "In your module's own backward", IN_THE_MODULE, DIFFERENCES_IN_THE_MODULE, ()),
    ("-in-embedding-backward", "In embedding_backward", DIFFERENCES_IN_THE_FUNCTION, RUNNING, ()),
)

MISTAKES = [
    Mistake(
        "repeated-ids-overwrite-in-the-module",
        find=ROWS,
        replace="rows = _Rows.apply(self.weight, token_ids)",
        also=((HELPER, OVERWRITTEN + HELPER),),
        says="In your module's own backward only one row counts of an id that occurs several times: "
        "index_put_ and grad[ids] = rows write each row once. They add up: accumulate=True, or index_add_.",
    ),
    *(
        Mistake(
            f"runs-of-an-id-overwritten{id}",
            find=find,
            replace=replace,
            also=((HELPER, helpers + HELPER), *also),
            says=f"{where} the rows of an id add up only where they stand side by side: of several such runs "
            "one alone counts, since torch.unique_consecutive, for example, finds the same id again in each "
            "and the next sum overwrites the last. Add all rows up, wherever they stand: index_add_, or sort "
            "the ids first.",
        )
        for id, where, (find, replace), helpers, also in (
            ("", "In both backwards", IN_THE_FUNCTION, RUNS_IN_THE_MODULE, (IN_THE_MODULE,)),
            ("-in-the-module", "In your module's own backward", IN_THE_MODULE, RUNS_IN_THE_MODULE, ()),
            ("-in-embedding-backward", "In embedding_backward", IN_THE_FUNCTION, BY_RUNS, ()),
        )
    ),
    *(
        Mistake(
            f"ids-sorted-alone{id}",
            find=find,
            replace=replace,
            also=also,
            says=f"{where} the ids are sorted and the gradients are not, so that ids meet the gradients of "
            "others. Bring both into the same order: order = ids.argsort(), then ids[order] and "
            "gradients[order]. (index_add_ needs no order.)",
        )
        for id, where, (find, replace), also in (
            ("-in-embedding-backward", "In embedding_backward", SORTED_IN_THE_FUNCTION, ()),
            (
                "-in-the-module",
                "In your module's own backward",
                IN_THE_MODULE,
                ((HELPER, SORTED_IN_THE_MODULE + HELPER),),
            ),
            (
                "",
                "In both backwards",
                IN_THE_MODULE,
                ((HELPER, SORTED_IN_THE_MODULE + HELPER), SORTED_IN_THE_FUNCTION),
            ),
        )
    ),
    *(
        Mistake(
            f"differences-of-running-sums{id}",
            find=find,
            replace=replace,
            also=((HELPER, helpers + HELPER), *also),
            says=f"{where} the rows of an id are a difference of sums over many ids, those of one running "
            "sum (cumsum), for example. Where another id has large gradients, small ones are lost in the "
            "rounding: add up each id's own rows, by index_add_.",
        )
        for id, where, (find, replace), helpers, also in DIFFERENCES
    ),
    *(
        Mistake(
            f"total-taken-off-the-first-sum{id}",
            find=find,
            replace=replace,
            also=((HELPER, from_the_total(helpers) + HELPER), *also),
            says=f"{where} the row of the smallest id that occurs is wrong: the sum of all gradients is "
            "taken off it. You subtract the running sum in front of each id, for example, and in front of "
            "the first stands place -1, which is the last. What is taken off there is 0.",
        )
        for id, where, (find, replace), helpers, also in DIFFERENCES
    ),
]
