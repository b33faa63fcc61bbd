"""Known wrong versions of `zero` that give out the padding in some stages, or do not pad at all."""

from grader.kit import Mistake

GATHERED = """\
            parameters = self.collectives.all_gather(parameters)
        return [full[: self.numel] for full in parameters]"""

WHOLE = "self.shard_size * self.world_size"
NOT_PADDED = (
    ("math.ceil(self.numel / world_size)", "self.numel // world_size"),
    ("F.pad(vector, (0, self.shard_size * self.world_size - self.numel))", "vector.clone()"),
)
FRONT_REDUCED = (
    "reduce_scatter(local)  # (shard_size,) each",
    f"reduce_scatter([each[: {WHOLE}] for each in local])",
)
REST_KEPT = (
    "            updated = self.collectives.all_gather(updated)",
    f"""\
            rests = [held["parameters"][{WHOLE} :] for held in self.ranks]
            gathered = self.collectives.all_gather(updated)
            updated = [torch.cat(pair) for pair in zip(gathered, rests, strict=True)]""",
)
REST_STORED = (
    (
        "            parameters = self.collectives.all_gather(parameters)\n",
        "            parameters = self.collectives.all_gather(parameters)\n"
        "            parameters = [torch.cat([front, self.rest]) for front in parameters]\n",
    ),
    ("        self.ranks = []\n", f"        self.ranks, self.rest = [], parameters[{WHOLE} :].clone()\n"),
)
REST_ZERO = (
    "        return [full[: self.numel] for full in parameters]",
    "        return [F.pad(full, (0, self.numel - full.numel())) for full in parameters]",
)
PIECES = """\
    def _in_pieces(self, vector):
        pieces = vector.tensor_split(self.world_size)
        return torch.cat([F.pad(each, (0, self.shard_size - each.numel())) for each in pieces])

    def _of_pieces(self, full):
        sizes = [len(each) for each in torch.arange(self.numel).tensor_split(self.world_size)]
        pieces = full.split(self.shard_size)
        return torch.cat([each[:size] for each, size in zip(pieces, sizes, strict=True)])

"""
FULL = "            full = self._padded(parameters)\n"
LOCAL = "self._padded(gradient) / self.world_size"
CUT = "        return [full[: self.numel] for full in parameters]"
CHUNK = "full.chunk(self.world_size)[rank]"

MISTAKES = [
    Mistake(
        "padding-returned-in-stage-3",
        find=GATHERED,
        replace="""\
            return self.collectives.all_gather(parameters)
        return [full[: self.numel] for full in parameters]""",
        says="In stage 3 your full parameters still have the padding at their end: it comes along with the "
        "last shards. Cut it off from what all_gather gives, full[:numel], as in the other stages.",
    ),
    Mistake(
        "padding-returned-except-in-stage-3",
        find=GATHERED,
        replace="""\
            return [full[: self.numel] for full in self.collectives.all_gather(parameters)]
        return parameters""",
        says="In stages 0 to 2 your full parameters still have the padding at their end (in stage 3 you cut "
        "it off). What the ranks hold is padded there too: full[:numel].",
    ),
    *(
        Mistake(
            name,
            find=NOT_PADDED[0][0],
            replace=NOT_PADDED[0][1],
            also=(NOT_PADDED[1], FRONT_REDUCED, *also),
            says="Up to world_size - 1 parameters at the end belong to no shard (where these have numel // "
            f"world_size elements, for example): {what}. Shards have ceil(numel / world_size) elements, the "
            "last ones padded.",
        )
        for name, also, what in (
            ("remainder-lost-where-sharded", (), "from stage 1 on they are lost"),
            (
                "remainder-lost-in-stage-3",
                (REST_KEPT,),
                "in stages 1 and 2 they are never updated, and stage 3 loses them",
            ),
            (
                "remainder-never-updated",
                (REST_KEPT, *REST_STORED),
                "from stage 1 on they are never updated",
            ),
            ("remainder-set-to-zero", (REST_ZERO,), "from stage 1 on they come out as 0"),
        )
    ),
    Mistake(
        "remainder-refused",
        find=NOT_PADDED[0][0],
        replace=NOT_PADDED[0][1],
        also=(NOT_PADDED[1],),
        says="You call reduce_scatter with a size that world_size does not divide, and it refuses. Pad the "
        "gradients to world_size * ceil(numel / world_size) elements, and the parameters too.",
    ),
    *(
        Mistake(
            f"remainder-left-to-chunk{ending}",
            find=NOT_PADDED[1][0],
            replace=NOT_PADDED[1][1],
            also=(
                ("full[rank * self.shard_size : (rank + 1) * self.shard_size]", CHUNK),
                ("self._shard(full, rank).clone()  #", f"self._shard(full, rank).clone(){unless}  #"),
            ),
            says="You leave it to chunk() or split(), for example, to cut what the ranks do not divide. They "
            "make pieces of ceil(n / w) elements, and 9 elements for 4 ranks are 3 pieces of 3: there is no "
            "fourth. Pad to w * ceil(n / w) elements first, the gradients too.",
        )
        for ending, unless in (("", ""), ("-where-sharded", " if stage else full"))
    ),
    Mistake(
        "shards-begin-at-even-shares",
        find="full[rank * self.shard_size : (rank + 1) * self.shard_size]",
        replace="full[rank * self.numel // self.world_size :][: self.shard_size]",
        says="Where world_size does not divide numel, your ranks update other parameters than their "
        "gradients are for. Rank i's shard begins at i * numel // world_size, for example, but chunk i "
        "of reduce_scatter and all_gather at i * ceil(numel / world_size): cut both at the same places.",
    ),
    *(
        Mistake(
            f"{id}{ending}",
            find="    def _padded(self",
            replace=PIECES + "    def _padded(self",
            also=tuple((find, new.replace("WHERE", where)) for find, new in also),
            says=f"Where world_size does not divide numel, your ranks update other parameters than their "
            f"gradients are for{which}: {what}. Pad both alike, at the end of the whole vector: rank i's "
            "shard begins at i * ceil(numel / world_size).",
        )
        for id, also, what in (
            (
                "parameters-padded-piece-by-piece",
                (
                    (
                        FULL,
                        FULL + "            if WHERE:\n                full = self._in_pieces(parameters)\n",
                    ),
                    (
                        CUT,
                        "        if WHERE:\n"
                        "            return [self._of_pieces(full) for full in parameters]\n" + CUT,
                    ),
                ),
                "you cut the parameters into even pieces and pad each of them, the gradients only at the end",
            ),
            (
                "gradients-padded-piece-by-piece",
                (
                    (
                        LOCAL,
                        "(self._in_pieces if WHERE else self._padded)(gradient) / self.world_size",
                    ),
                ),
                "you cut the gradients into even pieces and pad each of them, the parameters only at the end",
            ),
        )
        for ending, where, which in (
            ("", "True", ""),
            ("-where-sharded", "self.stage", " from stage 1 on"),
        )
    ),
    Mistake(
        "only-the-last-shard-padded",
        find="        return full[rank * self.shard_size : (rank + 1) * self.shard_size]",
        replace="""\
        shard = full[: self.numel][rank * self.shard_size : (rank + 1) * self.shard_size]
        missing = self.shard_size * self.world_size - self.numel
        return F.pad(shard, (0, missing)) if rank == self.world_size - 1 else shard""",
        says="You pad the last shard only, with all that is missing. Where more is missing than a shard has, "
        "the one before is too short as well: of 5 elements 4 ranks have 2, 2, 1 and none. Pad the whole "
        "vector before it is cut, or each shard to shard_size.",
    ),
    Mistake(
        "padded-by-the-remainder",
        find="F.pad(vector, (0, self.shard_size * self.world_size - self.numel))",
        replace="F.pad(vector, (0, self.numel % self.world_size))",
        says="You pad with as many zeros as the division leaves over. What is missing to the next multiple "
        "is needed: -numel % world_size, which is the same for two ranks only.",
    ),
]
