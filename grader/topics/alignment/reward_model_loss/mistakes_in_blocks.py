"""Known wrong versions of `reward_model_loss`: pairs in blocks, and what is done to masks and accuracies."""

from grader.kit import Mistake

RIGHT = "accuracy = (chosen > rejected).to(chosen.dtype).mean()"
RANKED = "return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean()"
GAPS = "gaps = F.logsigmoid(rewards[:, better] - rewards[:, worse])"

MISTAKES = [
    *(
        Mistake(
            f"pairs-beyond-whole-blocks-of-{size}-left-out",
            find=RANKED,
            replace=f"""\
{GAPS}
    size = min({size}, gaps.shape[1])
    return -gaps[:, : gaps.shape[1] // size * size].mean()""",
            says="ranking_loss goes through the pairs in blocks, and leaves out what is left over behind "
            "whole ones: their number divided by the size of a block is rounded down. The last is shorter.",
        )
        for size in (8, 16, 64)
    ),
    *(
        Mistake(
            f"blocks-of-{size}-averaged",
            find=RANKED,
            replace=f"""\
{GAPS}
    return -torch.stack([block.mean() for block in gaps.split({size}, dim=1)]).mean()""",
            says="ranking_loss is the mean of the means of blocks of pairs, and the last block is shorter: "
            "its pairs count for more. Add up all terms, and divide once by their number.",
        )
        for size in (8, 16, 32, 64, 128)
    ),
    Mistake(
        "accuracy-by-rounded-probabilities",
        find=RIGHT,
        replace="accuracy = (torch.sigmoid(chosen - rejected) > 0.5).to(chosen.dtype).mean()",
        says="A pair whose rewards differ by very little is a tie in your accuracy: a sigmoid is rounded to "
        "0.5 there, or the difference has to exceed a threshold, for example. Ask chosen > rejected.",
    ),
    Mistake(
        "mask-of-floats-overwritten",
        find="last = (places * mask.bool()).argmax(dim=1)",
        replace="last = mask.to(values.dtype).mul_(places).argmax(dim=1)",
        says="last_token_rewards writes to the caller's mask where it has the dtype of values: .to() gives "
        "that very tensor then, and what is done in place on it stays. Make a new one.",
    ),
]
