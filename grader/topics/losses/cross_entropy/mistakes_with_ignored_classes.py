"""Known wrong versions of `cross_entropy`: an ignored target as an index, an ignored class in other rows."""

from grader.kit import Mistake

SAFE = "target.masked_fill(~kept, 0)"
WEIGHED = "    target_weight = weight[index]  # (batch,)\n"
GATHERED = "    target_log_probs = log_probs.gather(1, index.unsqueeze(1)).squeeze(1)  # (batch,)\n"
INDEXED = "    import torch\n\n    target_log_probs = log_probs[torch.arange(len(index)), index]\n"
ONE_HOT = """\
    classes = target.new_tensor(range(logits.shape[1]))
    target_log_probs = log_probs.where(classes == index.unsqueeze(1), 0).sum(dim=1)
"""
OTHER_ENDS = {
    "of-the-weights": ((WEIGHED, ""), (GATHERED, WEIGHED + GATHERED)),
    "in-brackets": ((GATHERED, INDEXED),),
}
"""Not wrong, but an index that is no class ends in another exception than gather's."""

MISTAKES = [
    *(
        Mistake(
            f"ignored-target-as-an-index-{where}",
            find=SAFE,
            replace="target",
            also=also,
            says="You index with the target of an ignored row: -100 is no class, and an index far from the "
            "classes raises (an index of -1 gives the last class silently). Put any class there first, "
            "target.masked_fill(~kept, 0), and set the row's loss to 0 afterwards.",
        )
        for where, also in OTHER_ENDS.items()
    ),
    *(
        Mistake(
            f"only-negative-targets-made-safe-{where}",
            find=SAFE,
            replace="target.clamp(min=0)",
            also=also,
            says="You make only a negative ignore_index safe (by clamp(min=0), for example): 255, which is "
            "usual in segmentation, still is an index beyond the classes. Replace what equals ignore_index, "
            "whatever it is.",
        )
        for where, also in OTHER_ENDS.items()
    ),
    *(
        # What autograd keeps of the target, to find it changed by a later call, is each answer's own.
        Mistake(
            f"target-overwritten{where}",
            find=SAFE,
            replace="target.masked_fill_(~kept, 0)",
            also=also,
            says="You write to the caller's target (you replace the ignored ones in place, for example, and "
            "whoever counts these rows later finds ordinary ones). It must stay as it is: "
            "target.masked_fill(~kept, 0), without the underscore, makes a new tensor, as torch.where does.",
        )
        for where, also in (
            ("", ()),
            ("-in-brackets", OTHER_ENDS["in-brackets"]),
            ("-one-hot", ((GATHERED, ONE_HOT),)),
        )
    ),
    Mistake(
        "ignored-class-without-weight",
        find="    # log(softmax(x))",
        replace="""\
    if 0 <= ignore_index < len(weight):
        weight = weight.clone()
        weight[ignore_index] = 0

    # log(softmax(x))""",
        says="Where ignore_index is a class, you leave it out of the other rows' smoothed part (its weight "
        "is 0, for example). Only the rows whose target it is are dropped: in the sum of the others it is a "
        "class like any other.",
    ),
    Mistake(
        "ignored-class-without-logit",
        find="    # log(softmax(x))",
        replace="""\
    if 0 <= ignore_index < len(weight):
        weight, logits = weight.clone(), logits.clone()
        weight[ignore_index] = 0
        logits[:, ignore_index] = -1e9

    # log(softmax(x))""",
        says="Where ignore_index is a class, you take it out of the softmax of all rows. Only the rows whose "
        "target it is are dropped: for the others it is a class like any other.",
    ),
    Mistake(
        "smoothed-over-the-classes-not-ignored",
        find="    smooth_loss = -(weight * log_probs).mean(dim=1)  # (batch,)\n",
        replace="""\
    others = [c for c in range(len(weight)) if c != ignore_index]
    smooth_loss = -(weight * log_probs)[:, others].mean(dim=1)
""",
        says="Where ignore_index is a class, you spread the smoothing over the others only. Rows whose "
        "target it is are dropped; in the others it gets its share, s / classes, like any other class.",
    ),
    Mistake(
        "rows-of-weight-zero-not-smoothed",
        find="losses.masked_fill(~kept, 0)",
        replace="losses.masked_fill(~kept | (target_weight == 0), 0)",
        says="You leave a row out altogether where its target's weight is 0. With label smoothing its loss "
        "still has the sum over all classes, each with its own weight: only ignored rows have none.",
    ),
]
