"""Known wrong versions of `load_balancing_loss`."""

from grader.kit import Mistake

PROBABILITIES = "probabilities = logits.softmax(dim=-1).mean(dim=0)"
CHOSEN = "chosen = logits.topk(top_k, dim=-1).indices"
SHARES = "shares = F.one_hot(chosen, num_experts).to(logits.dtype).mean(dim=(0, 1))"
LOSS = "return num_experts * (shares * probabilities).sum()"

MISTAKES = [
    Mistake(
        "loss-not-divided-by-top-k",
        find=SHARES,
        replace="shares = F.one_hot(chosen, num_experts).to(logits.dtype).sum(dim=1).mean(dim=0)",
        says="Your shares add up to top_k, as in Hugging Face's Mixtral: an even load has the loss top_k. "
        "Here f_i is a share of all choices, top_k for each token, so that an even load gives 1: divide by "
        "top_k.",
    ),
    Mistake(
        "loss-without-num-experts",
        find=LOSS,
        replace="return (shares * probabilities).sum()",
        says="You leave the factor num_experts out. With it an even load has the loss 1, whatever the "
        "number of experts.",
    ),
    Mistake(
        "mean-over-experts",
        find=LOSS,
        replace="return (shares * probabilities).mean()",
        says="You take the mean of f times P over the experts. It is their sum times num_experts.",
    ),
    Mistake(
        "probabilities-of-the-chosen-only",
        find=PROBABILITIES,
        replace="""\
top, places = logits.topk(top_k, dim=-1)
    probabilities = torch.zeros_like(logits).scatter(1, places, top.softmax(dim=-1)).mean(dim=0)""",
        says="Your P comes from the weights of the chosen experts. The softmax is over all experts: an "
        "expert that is not chosen has a probability too, and gets a gradient.",
    ),
    Mistake(
        "other-probabilities-zeroed",
        find=PROBABILITIES,
        replace="""\
shares_of_all = logits.softmax(dim=-1)
    places = logits.topk(top_k, dim=-1).indices
    only = torch.zeros_like(logits).scatter(1, places, shares_of_all.gather(1, places))
    probabilities = only.mean(dim=0)""",
        says="Your P counts the probability of an expert only where it is chosen. It is the mean over all "
        "tokens of the softmax over all experts.",
    ),
    Mistake(
        "first-choice-only",
        find=CHOSEN,
        replace="chosen = logits.topk(1, dim=-1).indices",
        says="You count each token's first choice only. A token makes top_k choices, and all of them are "
        "load.",
    ),
    Mistake(
        "probabilities-squared",
        find=LOSS,
        replace="return num_experts * (probabilities * probabilities).sum()",
        says="You multiply P by itself: what was really chosen does not count. It is f, the shares of the "
        "choices, times P.",
    ),
    Mistake(
        "shares-squared",
        find=LOSS,
        replace="return num_experts * (shares * shares).sum()",
        says="You multiply f by itself. Counts have no gradient, so the router would learn nothing: f times "
        "P.",
    ),
    Mistake(
        "probabilities-detached",
        find=LOSS,
        replace="return num_experts * (shares * probabilities.detach()).sum()",
        says="No gradient reaches the logits: P is detached (or computed under no_grad). Through P the loss "
        "works.",
    ),
    Mistake(
        "logits-for-probabilities",
        find=PROBABILITIES,
        replace="probabilities = logits.mean(dim=0)",
        says="Your P is the mean of the logits. Take the softmax of each token's first.",
    ),
    Mistake(
        "softmax-of-the-mean",
        find=PROBABILITIES,
        replace="probabilities = logits.mean(dim=0).softmax(dim=-1)",
        says="You take the softmax of the mean logits. It is the mean of the tokens' softmaxes.",
    ),
    Mistake(
        "softmax-over-tokens",
        find=PROBABILITIES,
        replace="probabilities = logits.softmax(dim=0).mean(dim=0)",
        says="Your softmax runs over the tokens. It is over the experts, dim=-1; the mean is over the "
        "tokens.",
    ),
    Mistake(
        "exponentials-of-the-loss-overflow",
        find=PROBABILITIES,
        replace="""\
powers = logits.exp()
    probabilities = (powers / powers.sum(dim=-1, keepdim=True)).mean(dim=0)""",
        says="Your softmax overflows for large logits. Subtract the largest one first, or call softmax.",
    ),
    Mistake(
        "least-likely-counted",
        find=CHOSEN,
        replace="chosen = logits.topk(top_k, dim=-1, largest=False).indices",
        says="You count the experts with the smallest logits. The chosen ones have the largest.",
    ),
    Mistake(
        "always-two-choices",
        find=CHOSEN,
        replace="chosen = logits.topk(min(2, num_experts), dim=-1).indices",
        says="You count two choices whatever top_k says.",
    ),
    Mistake(
        "sums-over-tokens",
        find=PROBABILITIES,
        replace="probabilities = logits.softmax(dim=-1).sum(dim=0)",
        says="Your P adds up over the tokens, so the loss grows with their number. P is a mean.",
    ),
    Mistake(
        "mean-over-the-first-dimension",
        find="    logits = router_logits.reshape(-1, num_experts)  # (tokens, num_experts)\n",
        replace="    logits = router_logits\n",
        also=((SHARES, "shares = F.one_hot(chosen, num_experts).to(logits.dtype).mean(dim=-2).mean(dim=0)"),),
        says="You take means over the first dimension alone. All leading dimensions together are the "
        "tokens: reshape to (tokens, num_experts) first.",
    ),
    Mistake(
        "balance-of-each-sequence",
        find="    logits = router_logits.reshape(-1, num_experts)  # (tokens, num_experts)\n",
        replace="""\
    if router_logits.dim() > 2:
        return torch.stack([load_balancing_loss(each, top_k) for each in router_logits]).mean()
    logits = router_logits.reshape(-1, num_experts)
""",
        says="You compute the loss of each sequence (or of each row) and take the mean. The shares are "
        "those of all tokens together.",
    ),
    Mistake(
        "counts-in-float32",
        find=".to(logits.dtype).mean(dim=(0, 1))",
        replace=".float().mean(dim=(0, 1))",
        also=((LOSS, "return (num_experts * (shares * probabilities.float()).sum())"),),
        says="Your loss is float32 whatever the logits are. It has their dtype.",
    ),
    Mistake(
        "shares-of-fewer-experts",
        find="shares = F.one_hot(chosen, num_experts).to(logits.dtype).mean(dim=(0, 1))",
        replace="shares = torch.bincount(chosen.flatten()).to(logits.dtype) / chosen.numel()",
        says="You count choices without saying how many experts there are, so where nobody chose the last "
        "ones there are too few shares: bincount(…, minlength=num_experts), or one_hot(…, "
        "num_experts).",
    ),
    Mistake(
        "shares-divided-by-the-batch",
        find="shares = F.one_hot(chosen, num_experts).to(logits.dtype).mean(dim=(0, 1))",
        replace=(
            "shares = F.one_hot(chosen, num_experts).to(logits.dtype).sum(dim=(0, 1)) / "
            "router_logits.shape[0] / top_k"
        ),
        says="You divide the counts of choices by the batch, not by all tokens: all leading dimensions "
        "together are the tokens, and the shares add up to 1.",
    ),
    Mistake(
        "shares-divided-by-the-batch-but-for-a-single-token",
        find=SHARES,
        replace=(
            "shares = F.one_hot(chosen, num_experts).to(logits.dtype).sum(dim=(0, 1)) / "
            "(router_logits.shape[0] if router_logits.dim() > 1 else 1) / top_k"
        ),
        says="You divide the counts of choices by the first dimension of the logits. With (batch, seq, "
        "num_experts) that is not the number of tokens: all leading dimensions together are the tokens, and "
        "the shares add up to 1.",
    ),
    Mistake(
        "shares-in-bins-of-what-occurs",
        find=SHARES,
        replace="shares = torch.histc(chosen.flatten().to(logits.dtype), bins=num_experts) / chosen.numel()",
        says="You count choices with a histogram whose bins go from the smallest number that occurs to the "
        "largest, as those of torch.histc do if nothing is said: where the first or the last expert is never "
        "chosen, the counts are other experts'. Say where the bins begin and end, or use bincount or "
        "one_hot.",
    ),
]
