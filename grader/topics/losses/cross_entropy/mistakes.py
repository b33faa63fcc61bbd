"""Known wrong versions of `cross_entropy`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "weighted-mean-divided-by-rows",
        find="target_weight[kept].sum()",
        replace="kept.sum()",
        says="You divide the weighted sum by the number of kept rows. The mean with class weights is a "
        "weighted mean: divide by the sum of weight[y] over the kept rows, or the size of the loss "
        "depends on which classes are in the batch.",
    ),
    Mistake(
        "mean-over-all-rows",
        find="losses.sum() / target_weight[kept].sum()",
        replace="losses.mean()",
        says="You take the plain mean over the batch. It divides by N: ignored rows are counted as losses "
        "of 0, and class weights do not cancel. Divide the sum by the sum of weight[y] over the kept "
        "rows.",
    ),
    Mistake(
        "ignored-rows-counted",
        find="target_weight[kept].sum()",
        replace="target_weight.sum()",
        says="The ignored rows count in what your mean divides by: it is the number of all rows, or the sum "
        "of all their weights, whatever class stands in for an ignored target. Only the kept rows count, or "
        "padding makes the loss smaller.",
    ),
    Mistake(
        "divided-by-all-class-weights",
        find="target_weight[kept].sum()",
        replace="weight.sum()",
        says="You divide by the sum of the class weights, one for each class. The mean is over rows: divide "
        "by the sum of weight[target] over the kept rows.",
    ),
    Mistake(
        "divided-by-at-least-one",
        find="target_weight[kept].sum()",
        replace="target_weight[kept].sum().clamp(min=1)",
        says="You divide by 1 where the sum of the weights is smaller, so the mean is too small for small "
        "weights. Some kept row has a weight above 0, so the sum needs no guard.",
    ),
    Mistake(
        "loss-of-zero-taken-for-ignored",
        find="target_weight[kept].sum()",
        replace="target_weight[losses != 0].sum()",
        says="You tell the ignored rows by their loss of 0. A row of which the model is certain and right "
        "has that too, and counts in the mean. Compare the targets with ignore_index.",
    ),
    Mistake(
        "divided-by-the-smoothed-weights",
        find="target_weight[kept].sum()",
        replace="((1 - label_smoothing) * target_weight + label_smoothing * weight.mean())[kept].sum()",
        says="You divide by the weights as label smoothing mixes them. The mean divides by the sum of "
        "weight[y] over the kept rows, whatever label_smoothing is.",
    ),
    Mistake(
        "smooth-part-divided-by-rows",
        find="    return losses.sum() / target_weight[kept].sum()",
        replace="""\
    smoothed = label_smoothing * smooth_loss[kept].mean()
    return (1 - label_smoothing) * target_loss[kept].sum() / target_weight[kept].sum() + smoothed""",
        says="You take the plain mean of the smoothed part over the rows. In the mean both parts are "
        "divided by the same number, the sum of weight[y] over the kept rows.",
    ),
    Mistake(
        "smoothing-over-the-other-classes",
        find="    losses = (1 - label_smoothing) * target_loss",
        replace="""\
    smooth_loss = (smooth_loss * logits.shape[1] - target_loss) / (logits.shape[1] - 1)
    losses = (1 - label_smoothing) * target_loss""",
        says="You spread the smoothing over the other num_classes - 1 classes. Here (as in PyTorch and in "
        "Szegedy et al.) the uniform part goes to all classes: s / num_classes each, and the target "
        "has 1 - s + s / num_classes in all.",
    ),
    Mistake(
        "smoothing-without-the-target",
        find="    losses = (1 - label_smoothing) * target_loss",
        replace="""\
    smooth_loss = smooth_loss - target_loss / logits.shape[1]
    losses = (1 - label_smoothing) * target_loss""",
        says="You give s / num_classes to every class but the target, so the smoothed target adds up to less "
        "than 1. The uniform part goes to all classes: the target has 1 - s + s / num_classes.",
    ),
    Mistake(
        "smoothing-divided-by-one-less",
        find="    smooth_loss = -(weight * log_probs).mean(dim=1)",
        replace="    smooth_loss = -(weight * log_probs).sum(dim=1) / (logits.shape[1] - 1)",
        says="You give every class s / (num_classes - 1), the target's too, so the smoothed target adds up "
        "to more than 1. The uniform part goes to all num_classes classes: s / num_classes each.",
    ),
    Mistake(
        "smoothing-without-weights",
        find="-(weight * log_probs).mean(dim=1)",
        replace="-log_probs.mean(dim=1)",
        says="Your smoothed part leaves the class weights out. Every class c adds weight[c] * -log p[c] to "
        "it, as if it were the target.",
    ),
    Mistake(
        "smoothing-with-the-targets-weight",
        find="-(weight * log_probs).mean(dim=1)",
        replace="-target_weight * log_probs.mean(dim=1)",
        says="You multiply the whole smoothed part by the weight of the row's target. Every class c in it "
        "has its own weight: the mean over c of weight[c] * -log p[c].",
    ),
    Mistake(
        "target-keeps-its-full-share",
        find="(1 - label_smoothing) * target_loss",
        replace="target_loss",
        says="You add the smoothed part to the whole loss of the target, so the target distribution adds up "
        "to more than 1. The target's own part is multiplied by 1 - label_smoothing.",
    ),
    Mistake(
        "smoothing-ignored",
        find="    losses = (1 - label_smoothing) * target_loss + label_smoothing * smooth_loss",
        replace="    losses = target_loss",
        says="Your loss does not depend on label_smoothing. With s = label_smoothing it is (1 - s) times "
        "the target's loss plus s times the mean over all classes c of weight[c] * -log p[c].",
    ),
    Mistake(
        "ignored-target-as-an-index",
        find="target.masked_fill(~kept, 0)",
        replace="target",
        says="You index with the target of an ignored row: -100 is no class, and gather raises (an index of "
        "-1 even gives the last class silently). Put any class there first, target.masked_fill(~kept, "
        "0), and set the row's loss to 0 afterwards.",
    ),
    Mistake(
        "only-negative-targets-made-safe",
        find="target.masked_fill(~kept, 0)",
        replace="target.clamp(min=0)",
        says="You make targets safe with clamp, which catches a negative ignore_index only: 255, which is "
        "usual in segmentation, still is an index beyond the classes. Replace what equals "
        "ignore_index, whatever it is.",
    ),
    Mistake(
        "ignore-index-hard-coded",
        find="kept = target != ignore_index",
        replace="kept = target != -100",
        says="You compare the target with -100 and not with ignore_index, so another ignore_index is taken "
        "for a class.",
    ),
    Mistake(
        "negative-targets-ignored",
        find="kept = target != ignore_index",
        replace="kept = target >= 0",
        says="You ignore targets that are no class (negative ones, for example) instead of those that equal "
        "ignore_index, which may be a class or any other number. Compare: target != ignore_index.",
    ),
    Mistake(
        "logits-overwritten",
        find="shifted = logits - logits.amax(dim=1, keepdim=True)",
        replace="shifted = logits.sub_(logits.amax(dim=1, keepdim=True))",
        says="You compute in the caller's logits (you subtract the maximum in place, for example). They must "
        "stay as they are, and those that need a gradient refuse it. logits - maximum makes a new tensor.",
    ),
    Mistake(
        "data-of-the-logits-overwritten",
        find="shifted = logits - logits.amax(dim=1, keepdim=True)",
        replace="logits.data.sub_(logits.amax(dim=1, keepdim=True))\n    shifted = logits",
        says="You write to the caller's logits past autograd (by .data or detach(), for example), which "
        "must stay as they are. logits - maximum makes a new tensor.",
    ),
    Mistake(
        "ignored-rows-keep-their-smoothed-part",
        find="    losses = losses.masked_fill(~kept, 0)",
        replace="    losses = losses - (1 - label_smoothing) * target_loss.masked_fill(kept, 0)",
        says="You drop the ignored rows' target loss, but not their smoothed part, so padding has a loss "
        "and a gradient. Set the whole row to 0.",
    ),
    Mistake(
        "ignored-rows-not-dropped",
        find="""\
    losses = losses.masked_fill(~kept, 0)
""",
        replace="",
        says="Your ignored rows keep a loss, that of the class which you put in for their target. Set their "
        "losses to 0.",
    ),
    Mistake(
        "ignored-rows-taken-out",
        find="        return losses\n",
        replace="        return losses[kept]\n",
        says='You leave the ignored rows out of the result of reduction="none". They keep their place, with '
        "a loss of 0, so that the result has the shape of target.",
    ),
    Mistake(
        "weights-ignored",
        find="""\
    if weight is None:
        weight""",
        replace="    weight",
        says="Your loss does not depend on the class weights. Multiply the loss of each row by weight[y], "
        "and let the mean divide by the sum of these weights.",
    ),
    Mistake(
        "weights-only-in-the-mean",
        find="-target_weight * target_log_probs",
        replace="-target_log_probs",
        says="You divide by the weights but do not multiply the rows' losses by them. Each row's loss is "
        "weight[y] * -log p[y], whatever the reduction.",
    ),
    Mistake(
        "no-max-subtracted",
        find="    shifted = logits - logits.amax(dim=1, keepdim=True)",
        replace="    shifted = logits",
        says="You exponentiate the logits as they are: exp overflows above 88.7 in float32 and 709 in "
        "float64, and for very negative rows the sum is 0. Subtract the maximum of each row first: the "
        "log-softmax does not change.",
    ),
    Mistake(
        "max-of-everything",
        find="logits.amax(dim=1, keepdim=True)",
        replace="logits.max()",
        says="You subtract the maximum of all logits. In a row that lies far below it all exponentials are "
        "0, and log(0) is -inf. Subtract each row's own maximum: amax(dim=1, keepdim=True).",
    ),
    Mistake(
        "log-of-softmax",
        find="shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
        replace="(shifted.exp() / shifted.exp().sum(dim=1, keepdim=True)).log()",
        says="You take the logarithm of the probability. Where it underflows to 0 the loss is inf and the "
        "gradient NaN, although -log p is an ordinary number. Use the difference: shifted - "
        "log(sum(exp(shifted))).",
    ),
    Mistake(
        "log-of-softmax-plus-epsilon",
        find="shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
        replace="(shifted.exp() / shifted.exp().sum(dim=1, keepdim=True) + 1e-9).log()",
        says="You take the logarithm of a probability and keep it finite, by adding a small number to the "
        "probability or by clamping it. No loss can then exceed a certain size, and where the model is most "
        "wrong there is no gradient. shifted - log(sum(exp(shifted))) needs no such number.",
    ),
    Mistake(
        "softmax-over-the-batch",
        find="""\
    shifted = logits - logits.amax(dim=1, keepdim=True)
    log_probs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()""",
        replace="""\
    shifted = logits - logits.amax(dim=0, keepdim=True)
    log_probs = shifted - shifted.exp().sum(dim=0, keepdim=True).log()""",
        says="Your softmax runs over the rows of the batch. Each row is a distribution over the classes: "
        "maximum and sum along dim 1.",
    ),
    Mistake(
        "log-sum-detached",
        find="shifted.exp().sum(dim=1, keepdim=True).log()",
        replace="shifted.exp().sum(dim=1, keepdim=True).log().detach()",
        says="Your losses are right, but the logarithm of the sum is cut off from the graph, so the "
        "gradient lacks p: it has to be p - onehot. Only the maximum may be detached.",
    ),
    Mistake(
        "sign-forgotten",
        find="""\
    target_loss = -target_weight * target_log_probs
    smooth_loss = -(weight""",
        replace="""\
    target_loss = target_weight * target_log_probs
    smooth_loss = (weight""",
        says="Your loss is the log-probability itself, which is negative and grows with the quality of the "
        "model. The loss is minus the log-probability.",
    ),
    Mistake(
        "unknown-reduction-accepted",
        find="""\
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
""",
        replace="",
        says="You accept any word for reduction and treat it as one of the three, so a misspelt one goes "
        'unnoticed. Raise a ValueError unless it is "none", "sum" or "mean".',
    ),
    Mistake(
        "mean-as-a-python-number",
        find="    return losses.sum() / target_weight[kept].sum()",
        replace="    return (losses.sum() / target_weight[kept].sum()).item()",
        says="Your mean is a Python number, so nothing can be trained with it: the graph is gone. Return "
        "the tensor, without item() or float().",
    ),
    Mistake(
        "weights-normalized",
        find="    target_weight = weight[index]  # (batch,)\n",
        replace="    weight = weight * len(weight) / weight.sum()\n    target_weight = weight[index]\n",
        says="You scale the weights so that they add up to the number of classes. They are used as they are: "
        "the mean does not change by it, but losses and their sum do.",
    ),
]
