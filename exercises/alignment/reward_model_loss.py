"""Reward-model loss: a model learns to score answers from comparisons of which one people preferred.

Bradley-Terry for pairs, and for rankings as in "Training language models to follow instructions with human
feedback" (Ouyang et al., 2022). Nothing is forbidden. Nothing is made on the default device where the
arguments are on another one.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor


def last_token_rewards(
    values: Float[Tensor, "batch seq"],
    mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | Float[Tensor, "batch seq"],
) -> Float[Tensor, "batch"]:
    """The value at each row's last real token, the only one that has seen the whole answer.

    values: float32 or float64, which is kept; those at padding are finite. The gradient reaches the entries
        that are picked, and is 0 elsewhere.
    mask: True or 1 for real tokens, False or 0 for padding, which may be left of them, right of them, or in
        between. Each row has one real token at least.
    """
    raise NotImplementedError


def reward_model_loss(
    chosen: Float[Tensor, "batch"],
    rejected: Float[Tensor, "batch"],
    margin: Float[Tensor, "batch"] | float | None = None,
    center: float = 0.0,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """(loss, accuracy) of pairs of answers, given the rewards of the preferred ones and of the others.

    loss: the mean over the pairs of -log sigmoid(chosen - rejected - margin), plus center times the mean of
        (chosen + rejected)². Right and finite for rewards of ±1e4, and so are its gradients for chosen and
        rejected.
    accuracy: the share of pairs with chosen > rejected, whatever the margin is; a tie is wrong. It carries no
        gradient, and has the dtype of the rewards.

    chosen, rejected: both float32 or both float64, which is kept.
    margin: a number for each pair, in the rewards' dtype, or one for all; None is 0. No gradient is asked for
        it.
    """
    raise NotImplementedError


def ranking_loss(rewards: Float[Tensor, "prompts k"]) -> Float[Tensor, ""]:
    """The mean of -log sigmoid(r_i - r_j) over all pairs i < j of a prompt's answers, and over the prompts.

    rewards: k >= 2 answers to each prompt, the columns from the best to the worst. float32 or float64, which
        is kept; right and finite, with the gradient, for ±1e4.
    """
    raise NotImplementedError
