"""Known wrong versions of `relative_key` in which the first head of the first sample stands for all."""

from grader.kit import Mistake

_QUERY, _KEY = 'torch.einsum("bhid,ijd->bhij", query, rows)', 'torch.einsum("bhjd,ijd->bhij", key, rows)'


def _first(line: str, name: str, spread: bool) -> str:
    of_one = line.replace(name, f"{name}[:1, :1]")
    return f"{of_one}.expand(*{name}.shape[:2], -1, -1)" if spread else of_one


_SAYS = (
    "gather, for example, does not broadcast an index of (1, 1, seq, seq) over batch and heads, as "
    "take_along_dim does: its result has the size of the index. Expand the index first."
)

MISTAKES = [
    Mistake(
        f"first-head-for-all-in-{where}{ending}",
        find=line,
        replace=_first(line, name, spread),
        also=tuple((other, _first(other, its_name, spread)) for other, its_name in more),
        says=f"{words} those of the first head of the first sample, {fate}: {_SAYS}",
    )
    for ending, spread, fate in (
        ("", True, "and stand in all of them"),
        ("-and-not-spread", False, "and there are no others"),
    )
    for where, words, (line, name), *more in (
        ("the-query-term", "The query's products with the table are", (_QUERY, "query")),
        ("the-key-term", "The key's products with the table are", (_KEY, "key")),
        (
            "both-terms",
            "The products of query and key with the table are",
            (_QUERY, "query"),
            (_KEY, "key"),
        ),
    )
    if spread or where != "the-key-term"  # which comes to the same, added to the query's
]
