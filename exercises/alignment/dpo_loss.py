"""Direct preference optimization (DPO): learn from pairs of answers, of which one was preferred.

From "Direct Preference Optimization: Your Language Model is Secretly a Reward Model" (Rafailov et al., 2023).
Nothing is forbidden.
"""

from jaxtyping import Float, Int
from torch import Tensor


def sequence_log_probs(
    logits: Float[Tensor, "batch seq vocab"], labels: Int[Tensor, "batch seq"], ignore_index: int = -100
) -> Float[Tensor, "batch"]:
    """The log-probability that a model gives to each sequence: the sum over its labels.

    Position t of the logits predicts label t + 1: the first label is predicted by nothing and adds nothing,
    and the last position's logits are not used. Sums, not means: a longer sequence has more terms.

    labels: int64, each in the vocabulary, or ignore_index (prompt and padding), which adds nothing, whatever
        integer it is: negative, beyond the vocabulary, or a token (then everywhere that it occurs). A
        sequence whose labels are all ignored has 0, and so has one with seq = 1, where no gradient is asked.

    Right and finite for logits between -1e4 and 1e4. The gradient reaches the logits, whose dtype is kept
    (float32 or float64). Nothing is modified, and nothing is made on the default device where the arguments
    are on another one.
    """
    raise NotImplementedError


def dpo_loss(
    policy_chosen: Float[Tensor, "batch"],
    policy_rejected: Float[Tensor, "batch"],
    reference_chosen: Float[Tensor, "batch"],
    reference_rejected: Float[Tensor, "batch"],
    beta: float = 0.1,
) -> tuple[Float[Tensor, ""], Float[Tensor, "batch"], Float[Tensor, "batch"]]:
    """(loss, chosen_reward, rejected_reward) of pairs of answers: chosen and rejected ones, under two models.

    The arguments are log-probabilities of whole answers, of one dtype, which is kept (float32 or float64).

    loss: the mean over the pairs of -log sigmoid(beta * (D_policy - D_reference)), where a model's D is its
        log-probability of the chosen answer minus that of the rejected one. Right and finite, with the
        gradient, also where the difference is some thousands. The gradient is asked for the policy's
        arguments; the reference's may have one or none.
    chosen_reward, rejected_reward: beta * (policy - reference) of each answer. They carry no gradient.

    Nothing is modified, and nothing is made on the default device where the arguments are on another one.
    """
    raise NotImplementedError
