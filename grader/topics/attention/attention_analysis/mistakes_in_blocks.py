"""Known wrong versions of `attention_analysis` that average blocks, of which the last one may be shorter."""

from grader.kit import Mistake

SIZES = (8, 16, 32, 64, 128)
ENTROPY = "entropy.mean(dim=-1)"
RECEIVED = "weights.mean(dim=0).sum(dim=0)"
SHARE = "weights.diagonal(dim1=-2, dim2=-1).mean(dim=0)"

MISTAKES = [
    Mistake(
        f"mean-of-the-means-of-blocks-of-{size}-in-{name}",
        find=f"    return {find}",
        replace=f"    return torch.stack([{mean} for block in {parts}.split({size}, dim={dim})]).mean(dim=0)",
        says=f"{function} averages the means of blocks of {what} (of {size}, for example), where the last "
        "one, which may be shorter, counts as much as the others. Add up the sums of all blocks, and divide "
        f"once by the number of {what}.",
    )
    for name, function, what, find, parts, dim, mean in (
        ("entropy", "attention_entropy", "queries", ENTROPY, "entropy", -1, "block.mean(dim=-1)"),
        ("received", "attention_received", "heads", RECEIVED, "weights", 0, "block.mean(dim=0).sum(dim=0)"),
        ("share", "self_attention_share", "heads", SHARE, "weights", 0, SHARE.replace("weights", "block")),
    )
    for size in SIZES
]
