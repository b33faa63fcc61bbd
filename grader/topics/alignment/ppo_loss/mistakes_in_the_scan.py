"""Known wrong versions of `ppo_loss` whose `gae` runs along the wrong axis, or not far enough."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "errors-summed-over-the-batch",
        find="""\
    following = torch.zeros_like(rewards[:, 0])  # (batch,)
    for step in reversed(range(rewards.shape[1])):
        following = deltas[:, step] + gamma * lam * following
        advantages[:, step] = following
""",
        replace="""\
    following = torch.zeros_like(rewards[0])
    for step in reversed(range(rewards.shape[0])):
        following = deltas[step] + gamma * lam * following
        advantages[step] = following
""",
        says="In gae you sum up along the first axis, as code does that has time first: the errors of other "
        "sequences are added, not those of later steps. Here axis 0 is the batch, and the steps are axis 1.",
    ),
    Mistake(
        "small-factors-left-out",
        find="""\
    following = torch.zeros_like(rewards[:, 0])  # (batch,)
    for step in reversed(range(rewards.shape[1])):
        following = deltas[:, step] + gamma * lam * following
        advantages[:, step] = following
""",
        replace="""\
    steps, factor = rewards.shape[1], gamma * lam
    for later in range(next((n for n in range(1, steps) if factor**n < 1e-5), steps)):
        advantages[:, : steps - later] += factor**later * deltas[:, later:]
""",
        says="In gae you leave out later errors once their factor, a power of gamma lam, is small, below "
        "1e-5 for example. That is more than float64 leaves out: the sum goes to the end of the row.",
    ),
    Mistake(
        "one-tensor-for-all-steps",
        find="        advantages[:, step] = following\n    return advantages,",
        replace="        advantages[:] = following.unsqueeze(1)\n    return advantages,",
        says="In gae every step's advantage is that of the first step: you change the running sum in place "
        "and keep that same tensor for each step, for example. Make a new one at each step, or keep a copy.",
    ),
]
