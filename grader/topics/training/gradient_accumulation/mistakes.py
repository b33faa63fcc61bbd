"""Known wrong versions of `gradient_accumulation`: gradients and loss."""

from grader.kit import Mistake

KEPT = "kept = (targets != ignore_index).sum()"
LOOP = (
    "for ids, labels in zip(token_ids.split(micro_batch_size), targets.split(micro_batch_size), strict=True):"
)
LOGITS = "logits = model(ids).flatten(0, 1)"
LOSS = 'F.cross_entropy(logits, labels.flatten(), ignore_index=ignore_index, reduction="sum") / kept'
MEAN = "F.cross_entropy(logits, labels.flatten(), ignore_index=ignore_index)"
BACKWARD = "        loss.backward()  # frees the graph: the next one takes its place\n"
NOTED = "losses.append(loss.detach())"
GIVEN = "return torch.stack(losses).sum()"
CHECK = """\
    if micro_batch_size < 1:
        raise ValueError(f"micro_batch_size is {micro_batch_size}, at least 1 is needed")
"""

MISTAKES = [
    Mistake(
        "not-divided",
        find=LOSS,
        replace=MEAN,
        says="You add up the gradients of the micro-batches' mean losses: with k of them the gradient is "
        "about k times too long, and the loss k times too large. Divide what is summed over tokens by the "
        "number of targets in the whole batch.",
    ),
    Mistake(
        "divided-by-the-own-count",
        find=LOSS,
        replace=LOSS.replace("kept", "(labels != ignore_index).sum().clamp(min=1)"),
        says="You divide each micro-batch's sum by its own number of targets, and add up: with k of them the "
        "gradient is about k times too long. Divide by the number of targets in the whole batch.",
    ),
    Mistake(
        "gradients-not-divided",
        find=LOSS,
        replace=MEAN,
        also=((GIVEN, "return torch.stack(losses).mean()"),),
        says="The loss that you give is a mean, but the gradients are not: each micro-batch's is that of its "
        "own mean loss, so their sum is about k times too long. Divide the loss before backward.",
    ),
    Mistake(
        "sum-over-tokens",
        find=LOSS,
        replace='F.cross_entropy(logits, labels.flatten(), ignore_index=ignore_index, reduction="sum")',
        says="You add up the losses of all tokens and never divide. The loss is the mean over the targets of "
        "the whole batch.",
    ),
    Mistake(
        "mean-of-the-means",
        find=LOSS,
        replace=f"{MEAN} / runs",
        also=((KEPT, "runs = -(-len(token_ids) // micro_batch_size)"),),
        says="You average the micro-batches' mean losses. A token then counts more in a micro-batch with few "
        "targets, or in a short last one. It is one mean over all tokens of the batch.",
    ),
    Mistake(
        "mean-of-the-means-without-nan",
        find=LOSS,
        replace=f"{LOSS.replace('kept', '(labels != ignore_index).sum().clamp(min=1)')} / runs",
        also=((KEPT, "runs = -(-len(token_ids) // micro_batch_size)"),),
        says="You average the micro-batches' mean losses, those without targets as 0. A token then counts "
        "more in a micro-batch with few targets, or in a short last one. Divide each micro-batch's sum by "
        "the number of targets in the whole batch.",
    ),
    Mistake(
        "weighted-by-rows",
        find=LOSS,
        replace=f"{MEAN} * len(ids) / len(token_ids)",
        says="You weight the micro-batches' means by their rows. Rows have different numbers of targets: the "
        "mean is over tokens, so divide the sum over tokens by all that are kept.",
    ),
    Mistake(
        "nan-without-targets",
        find=LOSS,
        replace=f"{MEAN} * (labels != ignore_index).sum() / kept",
        says="A micro-batch without any targets gives NaN: its mean is 0 / 0, and NaN times 0 is NaN. Take "
        "reduction='sum' and divide by the targets of the whole batch, or skip such a micro-batch.",
    ),
    Mistake(
        "divided-by-all-tokens",
        find=KEPT,
        replace="kept = targets.numel()",
        says="You divide by all tokens, the ignored ones too. The mean is over the targets that are kept.",
    ),
    Mistake(
        "divided-by-the-rows",
        find=KEPT,
        replace="kept = len(targets)",
        says="You divide the sum over tokens by the number of rows. The mean is over the targets that are "
        "kept.",
    ),
    Mistake(
        "ignored-by-the-number",
        find=KEPT,
        replace="kept = (targets != -100).sum()",
        also=((LOSS, 'F.cross_entropy(logits, labels.flatten(), reduction="sum") / kept'),),
        says="You never ask for ignore_index: -100 is left out, or whatever is negative. It may be any "
        "integer, a token too.",
    ),
    Mistake(
        "negative-targets-ignored",
        find=KEPT,
        replace="kept = (targets >= 0).sum()",
        says="You count the targets that are not negative. ignore_index may be any integer, a token too: "
        "compare with it.",
    ),
    Mistake(
        "targets-shifted",
        find=LOGITS,
        replace="logits = model(ids)[:, :-1].flatten(0, 1)",
        also=((LOSS, LOSS.replace("labels.flatten()", "labels[:, 1:].flatten()")),),
        says="You shift the targets by one position. They are given as they are to be predicted: position t "
        "of the logits belongs to target t.",
    ),
    Mistake(
        "last-run-dropped",
        find=LOOP,
        replace="whole = len(token_ids) - len(token_ids) % micro_batch_size\n"
        "    for ids, labels in zip(token_ids[:whole].split(micro_batch_size), "
        "targets[:whole].split(micro_batch_size), strict=True):",
        says="You leave out the last rows where micro_batch_size does not divide the batch. The last run is "
        "a shorter one.",
    ),
    Mistake(
        "chunk-for-split",
        find=LOOP,
        replace="for ids, labels in zip(token_ids.chunk(micro_batch_size), "
        "targets.chunk(micro_batch_size), strict=True):",
        says="chunk(n) makes n pieces; split(n) makes pieces of n rows. micro_batch_size is the number of "
        "rows in one.",
    ),
    Mistake(
        "chunks-of-equal-sizes",
        find=LOOP,
        replace="runs = -(-len(token_ids) // micro_batch_size)\n"
        "    for ids, labels in zip(token_ids.chunk(runs), targets.chunk(runs), strict=True):",
        says="You make as many runs as are needed, but even them out (as chunk does): 5 rows with "
        "micro_batch_size=4 become 3 and 2. They are 4 and 1: split makes runs of micro_batch_size rows, and "
        "the last is shorter.",
    ),
    Mistake(
        "row-by-row",
        find=LOOP,
        replace="for ids, labels in zip(token_ids.split(1), targets.split(1), strict=True):",
        says="You run single rows. A run has micro_batch_size of them: more than one fits, and is faster.",
    ),
    Mistake(
        "all-at-once",
        find=LOOP,
        replace="for ids, labels in [(token_ids, targets)]:",
        says="You run the whole batch at once: right values, with the memory that accumulation is there to "
        "save. Take micro_batch_size rows at a time.",
    ),
    Mistake(
        "one-backward-at-the-end",
        find=BACKWARD,
        replace="        losses.append(loss)\n",
        also=(
            (f"        {NOTED}\n", ""),
            (GIVEN, "total = torch.stack(losses).sum()\n    total.backward()\n    return total.detach()"),
        ),
        says="Graphs of earlier runs are still alive at later ones, so it takes as much memory as the whole "
        "batch: you add up the losses and call backward once, for example (or set retain_graph). Call "
        "backward in the loop: gradients add up by themselves.",
    ),
    Mistake(
        "cleared-in-the-loop",
        find=f"        {LOGITS}",
        replace=f"        model.zero_grad()\n        {LOGITS}",
        says="Only the last micro-batch's gradients are left: you clear them in the loop, or write over "
        "them (param.grad = ...). They add up: clear them once per step, before the loop.",
    ),
    Mistake(
        "cleared-before-the-loop",
        find="    losses = []\n",
        replace="    losses = []\n    model.zero_grad()\n",
        says="accumulate_gradients drops the gradients that are there. It adds to them: it is train_step "
        "that begins with none.",
    ),
    Mistake(
        "loss-not-detached",
        find=NOTED,
        replace="losses.append(loss)",
        says="The loss that you give carries a gradient, and keeps the graphs' nodes. Sum up loss.detach().",
    ),
    Mistake(
        "last-loss-alone",
        find=GIVEN,
        replace="return losses[-1]",
        says="You give the last micro-batch's part of the loss. It is that of the whole batch: the sum of "
        "the parts.",
    ),
    Mistake(
        "loss-divided-once-more",
        find=GIVEN,
        replace="return torch.stack(losses).mean()",
        says="You average the parts of the loss, which have been divided already. Their sum is the mean over "
        "the batch.",
    ),
    Mistake(
        "plain-number-given",
        find=GIVEN,
        replace="return sum(loss.item() for loss in losses)",
        says="You give a Python float. The loss is a 0-dimensional tensor; .item() would also make the "
        "program wait for the GPU in every run.",
    ),
    Mistake(
        "total-on-the-default-device",
        find=GIVEN,
        replace="return torch.tensor(sum(loss.item() for loss in losses), dtype=loss.dtype)",
        says="Your loss is a new tensor on the default device. It belongs where the model is.",
    ),
    Mistake(
        "total-in-the-default-dtype",
        find=GIVEN,
        replace="return torch.tensor(sum(loss.item() for loss in losses))",
        says="Your loss is a new tensor in the default dtype, on the default device. It has the dtype and "
        "the device of the logits.",
    ),
    Mistake(
        "size-not-checked",
        find=CHECK,
        replace="",
        says="A micro_batch_size below 1 ends in another exception. Raise a ValueError.",
    ),
    Mistake(
        "negative-size-accepted",
        find=CHECK,
        replace="    if micro_batch_size == 0:\n        raise ValueError\n"
        "    micro_batch_size = abs(micro_batch_size)\n",
        says="You accept a negative micro_batch_size (range() with it has no runs at all, for example). "
        "Raise a ValueError.",
    ),
    Mistake(
        "view-of-other-layouts",
        find="labels.flatten()",
        replace="labels.view(-1)",
        says="You flatten the targets with view(-1), which raises where they are not contiguous. Take "
        "flatten() or reshape(-1).",
    ),
    Mistake(
        "switched-to-training",
        find="    losses = []\n",
        replace="    losses = []\n    model.train()\n",
        says="You switch the model to training mode. It stays in the mode in which the caller has put it.",
    ),
]
