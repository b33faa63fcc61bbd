"""Known wrong versions of `ppo_loss` whose `gae` runs along the wrong axis."""

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
]
