"""Known wrong versions of `kv_cache`: positions that the module counts itself, and other frequencies."""

from grader.kit import Mistake

PAST = "past = 0 if cache is None else cache.length"
MASK = "mask = torch.arange(past + new, device=x.device) <= positions[:, None]"
MASKS = {
    "": "mask = torch.ones(new, key.shape[2]).tril(key.shape[2] - new).bool()",
    "-and-masks-of-past-and-new": MASK,
    "-and-masks": "mask = torch.arange(key.shape[2], device=x.device) <= positions[:, None]",
}
WITH_A_CACHE = (
    "        if cache is not None:\n",
    "        if cache is not None:\n            self._past = past + new\n",
)

MISTAKES = [
    *(
        Mistake(
            f"positions-counted-from-an-empty-cache{words}{masked}",
            find=PAST,
            replace=f"""\
if {condition}:
            self._past = 0
        past = 0 if cache is None else getattr(self, "_past", 0){always}""",
            also=(*counted, (MASK, mask)),
            says="Your module counts the positions itself, from the last call that began anew on. Where it "
            "serves two caches by turns, the tokens of one are turned by the positions of the other. How far "
            "a sequence has come is what its cache knows: cache.length.",
        )
        for words, condition, always, counted in (
            ("", "cache is not None and cache.length == 0", "", (WITH_A_CACHE,)),
            ("-or-none", "cache is None or cache.length == 0", "", (WITH_A_CACHE,)),
            (
                "-in-every-call",
                "cache is None or cache.length == 0",
                "\n        self._past = past + new",
                (),
            ),
        )
        for masked, mask in MASKS.items()
    ),
    *(
        Mistake(
            f"positions-counted-from-a-call-without-a-cache{words}{masked}",
            find=PAST,
            replace=f"""\
if cache is None:
            self._past = 0
        past = getattr(self, "_past", 0){always}""",
            also=(*counted, (MASK, mask)),
            says="Your module counts the positions itself, from the last call without a cache on: a second "
            "cache starts where the first one ended, and a call without a cache in between begins the count "
            "anew. How far a sequence has come is what its cache knows: cache.length.",
        )
        for words, always, counted in (
            ("", "", (WITH_A_CACHE,)),
            ("-which-counts", "\n        self._past = past + new", ()),
        )
        for masked, mask in MASKS.items()
        if words or mask != MASK  # that raises where `positions-counted-in-the-module` does
    ),
    *(
        Mistake(
            f"positions-counted-in-every-call{masked}",
            find=PAST,
            replace="""\
past = 0 if cache is None else getattr(self, "_past", 0)
        self._past = getattr(self, "_past", 0) + new""",
            also=((MASK, mask),),
            says="Your module counts the positions itself, over all of its calls: a second cache starts "
            "where the first one ended, and goes on behind what others took in between. How far a sequence "
            "has come belongs to the cache: the positions go on from cache.length.",
        )
        for masked, mask in MASKS.items()
    ),
    *(
        Mistake(
            f"positions-counted-in-the-module{masked or '-and-lower-right-masks'}".removesuffix("-and-masks"),
            find=PAST,
            replace='past = 0 if cache is None else getattr(self, "_past", 0)',
            also=(WITH_A_CACHE, (MASK, mask)),
            says="Your module counts the positions itself, so a second cache starts where the first one "
            "ended. How far a sequence has come belongs to the cache: the positions go on from cache.length.",
        )
        for masked, mask in MASKS.items()
    ),
    Mistake(
        "positions-of-queries-after-the-update",
        find="query = _turn(query, positions, self.base)",
        replace="query = _turn(query, positions if cache is None else positions + new, self.base)",
        says="With a cache your queries are turned by positions that are too large by the number of new "
        "tokens: cache.length is read after update, which has raised it, for example. Queries and keys go on "
        "from the length before.",
    ),
    Mistake(
        "exponent-not-doubled",
        find="torch.arange(0, head_dim, 2, device=x.device)",
        replace="torch.arange(head_dim // 2, device=x.device)",
        says="Your exponent is i / head_dim, so the frequencies fall only to base^(-1/2). It is 2 i / "
        "head_dim for pair i: arange(0, head_dim, 2) / head_dim.",
    ),
    Mistake(
        "exponent-doubled-twice",
        find="torch.arange(0, head_dim, 2, device=x.device) / head_dim",
        replace="torch.arange(0, head_dim, 2, device=x.device) / (head_dim // 2)",
        says="Your exponent is 2 i / (head_dim / 2), twice too large. It is 2 i / head_dim for pair i: "
        "arange(0, head_dim, 2) / head_dim, or arange(head_dim / 2) / (head_dim / 2).",
    ),
    Mistake(
        "table-of-positions-ends",
        find="positions = torch.arange(past, past + new, device=x.device)",
        replace="positions = torch.arange(2048, device=x.device)[past : past + new]",
        says="Your angles are a table that ends (at 2,048 positions, for example), and a text may be "
        "longer: as long as its cache has room. Compute the angles of the positions that come, or let the "
        "table grow.",
    ),
    *(
        Mistake(
            f"positions-clamped-to-a-table-of-{rows}",
            find="angles = positions[:, None] * frequencies",
            replace=f"angles = positions.clamp(max={rows - 1})[:, None] * frequencies",
            says=f"All positions from {rows:,} on are turned alike in your answer, as if they were one: they "
            "are clamped to the last row of a table, for example. A text may be as long as its cache has "
            "room: compute the angles of the positions that come, or let the table grow.",
        )
        for rows in (512, 1024, 2048, 4096)
    ),
    Mistake(
        "base-ignored-with-a-cache",
        find="query = _turn(query, positions, self.base)",
        replace="query = _turn(query, positions, self.base if cache is None else 10000.0)",
        also=(
            (
                "key = _turn(key, positions, self.base)",
                "key = _turn(key, positions, self.base if cache is None else 10000.0)",
            ),
        ),
        says="With a cache you turn by angles of the base 10000, whatever the module's base is. It is the "
        "same with a cache and without.",
    ),
    Mistake(
        "base-ignored-behind-a-prefix",
        find="query = _turn(query, positions, self.base)",
        replace="query = _turn(query, positions, 10000.0 if past else self.base)",
        also=(
            (
                "key = _turn(key, positions, self.base)",
                "key = _turn(key, positions, 10000.0 if past else self.base)",
            ),
        ),
        says="Behind cached tokens you turn by angles of the base 10000, whatever the module's base is. It "
        "is the same wherever a chunk begins.",
    ),
]
