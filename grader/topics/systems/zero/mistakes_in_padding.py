"""Known wrong versions of `zero` that give out the padding of the parameters in some stages."""

from grader.kit import Mistake

GATHERED = """\
            parameters = self.collectives.all_gather(parameters)
        return [full[: self.numel] for full in parameters]"""

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
]
