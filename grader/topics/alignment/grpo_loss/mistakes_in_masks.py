"""Known wrong versions of `grpo_loss`: what becomes of masks, and of very improbable tokens."""

from grader.kit import Mistake

LENGTHS = "    lengths = mask.sum(dim=1)  # (n,)\n"
OF_TOKENS = "return (losses * mask).sum() / lengths.sum()"
OF_SEQUENCES = "return ((losses * mask).sum(dim=1) / lengths).mean()"

MISTAKES = [
    Mistake(
        "kept-tokens-as-one-slice",
        find=LENGTHS,
        replace=f"""\
{LENGTHS}    place = torch.arange(mask.shape[1], device=mask.device) - mask.int().argmax(dim=1, keepdim=True)
    mask = (place >= 0) & (place < lengths[:, None])
    lengths = mask.sum(dim=1)
""",
        says="You take each sequence's kept tokens for one run of neighbours: from the first one, as many as "
        "there are. A mask may have holes, where a tool's answer stands for example.",
    ),
    Mistake(
        "mask-of-floats-overwritten",
        find=LENGTHS,
        replace=f"""\
{LENGTHS}    weights = mask.to(log_probs.dtype)
    weights /= weights.sum()
    mask = weights > 0
""",
        says="You write to the caller's mask where it has the dtype of log_probs: .to() gives that very "
        "tensor then, and what is done in place on it stays. The next loss with this mask is wrong: make a "
        "new one.",
    ),
    Mistake(
        "log-probabilities-clamped-below",
        find=LENGTHS,
        replace=f"""\
{LENGTHS}    log_probs, old_log_probs, reference_log_probs = (
        each.clamp(min=-100) for each in (log_probs, old_log_probs, reference_log_probs)
    )
""",
        says="You clamp log-probabilities from below, at -100 for example. Tokens that are less probable "
        "have a ratio of 1 then, and no gradient. Their differences are what counts, and these are small.",
    ),
    *(
        Mistake(
            f"{end}-tokens-kept",
            find=LENGTHS,
            replace=f"{LENGTHS}    mask = torch.arange(mask.shape[1], device=mask.device){place}\n",
            says=f"You take each sequence's {end} tokens for those kept, as many as the mask has ones. It "
            "may have zeros anywhere: at the prompt in front, at padding behind, and in between.",
        )
        for end, place in (
            ("first", " < lengths[:, None]"),
            ("last", " >= mask.shape[1] - lengths[:, None]"),
        )
    ),
    Mistake(
        "only-losses-other-than-zero-counted",
        find=OF_TOKENS,
        replace="return (losses * mask).sum() / (losses * mask).count_nonzero()",
        also=(
            (OF_SEQUENCES, "return (losses * mask).sum(1).div((losses * mask != 0).sum(1).clamp(1)).mean()"),
        ),
        says="You divide by the number of losses that are not 0. A kept token counts where its loss is 0, "
        "too: where its advantage is, for example. Divide by the number of kept tokens.",
    ),
]
