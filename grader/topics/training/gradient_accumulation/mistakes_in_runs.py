"""Known wrong versions of `gradient_accumulation`: single runs, and what is done with them."""

from grader.kit import Mistake

LOOP = (
    "for ids, labels in zip(token_ids.split(micro_batch_size), targets.split(micro_batch_size), strict=True):"
)
KEPT = "kept = (targets != ignore_index).sum()"
LOGITS = "logits = model(ids).flatten(0, 1)  # (rows * seq, vocab)\n"
LOSS = 'F.cross_entropy(logits, labels.flatten(), ignore_index=ignore_index, reduction="sum") / kept'
MEAN = "F.cross_entropy(logits, labels.flatten(), ignore_index=ignore_index)"
NOTED = "losses.append(loss.detach())"
GIVEN = "return torch.stack(losses).sum()"
WITH_TARGETS = "runs = sum((each != ignore_index).any() for each in targets.split(micro_batch_size))"
BEGUN = "    losses = []\n"

MISTAKES = [
    Mistake(
        "gradients-divided-by-all-tokens",
        find=LOSS,
        replace=LOSS.replace("kept", "targets.numel()"),
        also=((GIVEN, f"{GIVEN} * targets.numel() / kept"),),
        says="The loss that you give is right, but the gradients are those of another one: its sum is "
        "divided by all tokens, the ignored ones too. Divide by the targets that are kept before backward.",
    ),
    Mistake(
        "loss-of-the-means",
        find=NOTED,
        replace="losses.append((loss.detach() * kept / (labels != ignore_index).sum().clamp(min=1)))",
        also=((GIVEN, "return torch.stack(losses).mean()"),),
        says="The gradients are right, but the loss that you give is the mean of the micro-batches' means: a "
        "token counts more there in a micro-batch with few targets. It is one mean over all tokens.",
    ),
    Mistake(
        "mean-of-the-means-of-runs-with-targets",
        find=LOSS,
        replace=f"{LOSS.replace('kept', '(labels != ignore_index).sum().clamp(min=1)')} / runs",
        also=((KEPT, WITH_TARGETS),),
        says="You average the micro-batches' mean losses, over those that have targets. A token then counts "
        "more in a micro-batch with few targets, or in a short last one. It is one mean over all tokens of "
        "the batch: divide each micro-batch's sum by the number of targets in the whole batch.",
    ),
    Mistake(
        "loss-of-the-means-of-runs-with-targets",
        find=NOTED,
        replace="losses.append((loss.detach() * kept / (labels != ignore_index).sum().clamp(min=1)))",
        also=((KEPT, f"{KEPT}\n    {WITH_TARGETS}"), (GIVEN, "return torch.stack(losses).sum() / runs")),
        says="The gradients are right, but the loss that you give is the mean of the micro-batches' means, "
        "over those that have targets: a token counts more there in a micro-batch with few of them. It is "
        "one mean over all tokens.",
    ),
    Mistake(
        "counted-by-the-default",
        find=KEPT,
        replace="kept = (targets != -100).sum()",
        says="You count the targets that are not -100, whatever ignore_index is. Those that are ignored are "
        "not to be counted: compare with ignore_index.",
    ),
    Mistake(
        "left-out-by-the-default",
        find=LOSS,
        replace=LOSS.replace("ignore_index=ignore_index, ", ""),
        says="You count with ignore_index, but the loss leaves out -100 alone: cross_entropy's own "
        "ignore_index stays at its default. Pass it on.",
    ),
    Mistake(
        "ended-at-a-run-without-targets",
        find=f"        {LOGITS}",
        replace=f"        {LOGITS}        if not (labels != ignore_index).any():\n"
        "            losses.append(logits.detach().sum() * 0)\n"
        "            break\n",
        says="At a micro-batch without targets your loop ends, and the later ones are lost: a break in the "
        "place of continue. It adds nothing, and the next one follows.",
    ),
    Mistake(
        "rows-dealt-out",
        find=LOOP,
        replace="runs = -(-len(token_ids) // micro_batch_size)\n"
        "    for ids, labels in [(token_ids[n::runs], targets[n::runs]) for n in range(runs)]:",
        says="You deal the rows out: every run takes each k-th of them. A run has micro_batch_size rows that "
        "follow each other, in their order.",
    ),
    Mistake(
        "logits-collected",
        find=NOTED,
        replace="losses.append(logits.detach())",
        also=(
            (
                GIVEN,
                "collected = torch.cat(losses)\n"
                "    return F.cross_entropy(collected, targets.flatten(), ignore_index=ignore_index)",
            ),
        ),
        says="You collect the logits of all micro-batches (without their graphs, to take the loss from them "
        "at the end, for example): memory grows with the batch. Keep of each only its part of the loss.",
    ),
    Mistake(
        "mean-of-each-row",
        find=LOSS,
        replace="""\
F.cross_entropy(
            logits.view(*labels.shape, -1).mT, labels, ignore_index=ignore_index, reduction="none"
        ).sum(dim=1)
        loss = (loss / (labels != ignore_index).sum(dim=1).clamp(min=1)).sum() / len(token_ids)""",
        says="You take each row's mean, and the mean of these. A token then counts more in a row with few "
        "targets. Divide the sum over all tokens by the targets of the whole batch.",
    ),
    Mistake(
        "weighted-by-rows-without-nan",
        find=LOSS,
        replace=f"{LOSS.replace('kept', '(labels != ignore_index).sum().clamp(min=1)')} "
        "* len(ids) / len(token_ids)",
        says="You weight the micro-batches' means by their rows. Rows have different numbers of targets: the "
        "mean is over tokens, so divide the sum over tokens by all that are kept.",
    ),
    Mistake(
        "last-run-dropped-if-there-are-others",
        find="    for ids, labels in zip(token_ids.split(micro_batch_size), targets.split(micro_batch_size), "
        "strict=True):\n",
        replace="""\
    runs = list(zip(token_ids.split(micro_batch_size), targets.split(micro_batch_size), strict=True))
    for ids, labels in runs[: max(1, len(token_ids) // micro_batch_size)]:
""",
        says="You drop the last rows where micro_batch_size does not divide the batch. They are a shorter "
        "run.",
    ),
    Mistake(
        "switched-to-training-and-back",
        find=BEGUN,
        replace=f"{BEGUN}    was_training = model.training\n    model.train()\n",
        also=((GIVEN, f"model.train(was_training)\n    {GIVEN}"),),
        says="You run the model in training mode, and put it back into its own afterwards. It stays in the "
        "mode in which the caller has put it: leave train() and eval() away.",
    ),
    Mistake(
        "switched-to-training-in-the-end",
        find=GIVEN,
        replace=f"model.train()\n    {GIVEN}",
        says="You leave the model in training mode, in which it was perhaps not. It stays in the mode in "
        "which the caller has put it.",
    ),
    Mistake(
        "switched-to-evaluation",
        find=BEGUN,
        replace=f"{BEGUN}    model.eval()\n",
        says="You switch the model to evaluation mode. It stays in the mode in which the caller has put it.",
    ),
    Mistake(
        "logits-viewed",
        find="logits = model(ids).flatten(0, 1)",
        replace="logits = model(ids)\n        logits = logits.view(-1, logits.shape[-1])",
        says="You flatten the logits by view, which raises where they are not contiguous: a model that works "
        "sequence first gives them transposed, for example. Use reshape or flatten: they copy where a view "
        "does not do.",
    ),
    Mistake(
        "old-gradients-divided",
        find=LOSS,
        replace=LOSS.removesuffix(" / kept"),
        also=(
            (
                GIVEN,
                f"for param in model.parameters():\n        param.grad /= kept\n    {GIVEN} / kept",
            ),
        ),
        says="You divide the gradients when all of them are added up. What was in .grad before is in that "
        "sum and is divided as well. Divide each run's loss before backward: then only what is new is "
        "scaled.",
    ),
    Mistake(
        "divided-by-the-runs-in-the-end",
        find=LOSS,
        replace=MEAN,
        also=(
            (
                GIVEN,
                "for param in model.parameters():\n        param.grad /= len(losses)\n    "
                "return torch.stack(losses).mean()",
            ),
        ),
        says="You add up the gradients of the micro-batches' means, and divide by the number of runs in the "
        "end. A token then counts more in a micro-batch with few targets, and gradients that were there "
        "before are divided as well. Divide each run's sum by the targets of the whole batch, before "
        "backward.",
    ),
    Mistake(
        "old-gradients-set-aside-uncopied",
        find=BEGUN,
        replace=f"""\
{BEGUN}    old = [param.grad for param in model.parameters()]
    for gradient in old:
        if gradient is not None:
            gradient.zero_()
""",
        also=(
            (
                GIVEN,
                f"""\
for param, gradient in zip(model.parameters(), old, strict=True):
        if gradient is not None:
            param.grad.add_(gradient)
    {GIVEN}""",
            ),
            (
                "    optimizer.zero_grad()\n",
                "    for param in model.parameters():\n        param.grad = None\n",
            ),
        ),
        says="What was in .grad is lost, and the new gradients come twice in its place: you keep the old "
        "gradients in a list, for example, zero .grad and add the list in the end. These are the same "
        "tensors, which hold the new gradients by then: clone them, or let backward add to what is there.",
    ),
    *(
        Mistake(
            f"targets-shifted-and-counted-so{ending}",
            find=LOGITS,
            replace="logits = model(ids)[:, :-1].flatten(0, 1)\n",
            also=(
                (LOSS, LOSS.replace("labels.flatten()", "labels[:, 1:].flatten()")),
                (KEPT, f"kept = (targets[:, 1:] != ignore_index).sum(){least}"),
            ),
            says="You shift logits and targets against each other, as models do that get the tokens "
            "themselves as labels. Here the targets are what is to be predicted already: position t of the "
            "logits belongs to target t.",
        )
        for ending, least in (("", ""), ("-at-least-one", ".clamp(min=1)"))
    ),
    Mistake(
        "places-counted-round-in-the-last-run",
        find=LOGITS,
        replace="""\
logits = model(ids).flatten(0, 1)
        begin = len(losses) * micro_batch_size * token_ids.shape[1]
        logits = logits.roll(-(begin % len(logits)), dims=0)
""",
        says="Where the last run is shorter, its targets meet the logits of other positions: you take a "
        "place in the whole batch modulo this run's own length, for example. What was before is a whole "
        "number of full runs: subtract where the run begins.",
    ),
    *(
        Mistake(
            f"columns-without-targets-cut-off{ending}",
            find=LOGITS,
            replace=f"""\
wanted = (labels != ignore_index).any(dim=0)
        if not bool(wanted.any()):
            continue
        ids, labels = ids[:, {columns}], labels[:, {columns}]
        {LOGITS}""",
            says=f"You leave out tokens {where} for which no row of a run has a target before you call the "
            "model. They have no loss of their own, but other positions may look at them, as in attention: "
            "the model gets whole rows.",
        )
        for ending, columns, where in (
            ("", "wanted", "(anywhere in the sequence)"),
            ("-at-the-end", ": int(wanted.nonzero()[-1]) + 1", "at the end"),
            ("-at-the-beginning", "int(wanted.nonzero()[0]) :", "at the beginning"),
        )
    ),
]
