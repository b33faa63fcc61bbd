"""Known wrong versions of `reward_model_loss` whose results have another shape, or carry a gradient."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "batch-of-one-squeezed",
        find="return values.gather(1, last.unsqueeze(1)).squeeze(1)",
        replace="return values.gather(1, last.unsqueeze(1)).squeeze()",
        says="For a batch of one row last_token_rewards gives a 0-dimensional tensor: squeeze() without a "
        "dimension takes out the batch, too, where it is 1. It has one reward for each row: squeeze(1).",
    ),
    Mistake(
        "accuracy-not-detached",
        find="accuracy = (chosen > rejected).to(chosen.dtype).mean()",
        replace="accuracy = (chosen - rejected).sign().clamp(min=0).mean()",
        says="Your accuracy belongs to the graph, and requires a gradient: it is computed from the rewards "
        "by what autograd records (their sign, for example, even if its gradient is 0). Compare the rewards, "
        "which is not recorded, or detach them first.",
    ),
]
