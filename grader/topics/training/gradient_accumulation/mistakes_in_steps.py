"""Known wrong versions of `gradient_accumulation`: steps."""

from grader.kit import Mistake

ZERO = "    optimizer.zero_grad()\n"
CLIP = """\
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # of the sum, not of its parts
"""
STEP = "    optimizer.step()\n"
CLIPPED = "        nn.utils.clip_grad_norm_(model.parameters(), max_norm)"
CLIPPED_GROUP = '        nn.utils.clip_grad_norm_(GROUP["params"], max_norm)'
SCALED_GROUP = """\
        norm = nn.utils.get_total_norm([param.grad for param in model.parameters()])
        for param in GROUP["params"]:
            param.grad.mul_((max_norm / (norm + 1e-6)).clamp(max=1.0))"""
STALE = ": after the loop over the groups its variable still holds the last one, for example"
PASSED = "accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index)"

MISTAKES = [
    Mistake(
        "old-gradients-kept",
        find=ZERO,
        replace="",
        says="train_step adds to gradients that were there before it: those of the step before, or of some "
        "other backward. Begin with optimizer.zero_grad().",
    ),
    Mistake(
        "not-clipped",
        find=CLIP,
        replace="",
        says="The step is not clipped: you never use max_norm, or only when the step is made. Where it is "
        "given, clip the global norm between the last backward and optimizer.step().",
    ),
    Mistake(
        "clipped-in-each-run",
        find="        loss.backward()  # frees the graph: the next one takes its place\n",
        replace="        loss.backward()\n"
        '        if getattr(model, "max_norm", None) is not None:\n'
        "            nn.utils.clip_grad_norm_(model.parameters(), model.max_norm)\n",
        also=(
            (
                f"    loss = {PASSED}\n{CLIP}",
                f"    model.max_norm = max_norm\n    loss = {PASSED}\n    del model.max_norm\n",
            ),
        ),
        says="You clip after every micro-batch. The sum of what is clipped is not the clipped sum: clip "
        "once, when all is added up.",
    ),
    Mistake(
        "values-clipped",
        find="nn.utils.clip_grad_norm_(model.parameters(), max_norm)",
        replace="nn.utils.clip_grad_value_(model.parameters(), max_norm)",
        says="You clamp each value to ±max_norm. It is the norm of all gradients together that is clipped.",
    ),
    Mistake(
        "each-parameter-clipped",
        find="        nn.utils.clip_grad_norm_(model.parameters(), max_norm)",
        replace="        for param in model.parameters():\n"
        "            nn.utils.clip_grad_norm_([param], max_norm)",
        says="You clip each parameter by its own norm. It is one norm, of all gradients as one vector.",
    ),
    Mistake(
        "step-in-each-run",
        find=f"    loss = {PASSED}\n{CLIP}{STEP}",
        replace="    total = 0\n"
        "    kept = (targets != ignore_index).sum()\n"
        "    for ids, labels in zip(token_ids.split(micro_batch_size), targets.split(micro_batch_size), "
        "strict=True):\n"
        "        optimizer.zero_grad()\n"
        "        loss = accumulate_gradients(model, ids, labels, micro_batch_size, ignore_index)\n"
        "        if max_norm is not None:\n"
        "            nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
        "        optimizer.step()\n"
        "        total = total + loss * (labels != ignore_index).sum() / kept\n"
        "    loss = total\n",
        says="You step after every micro-batch: that is training with small batches. Add up the gradients of "
        "all of them, and step once.",
    ),
    Mistake(
        "never-stepped",
        find=STEP,
        replace="",
        says="You never call optimizer.step(), so the parameters stay as they are.",
    ),
    Mistake(
        "loss-after-the-step",
        find=f"{STEP}    return loss",
        replace=f"{STEP}    with torch.no_grad():\n"
        "        logits = model(token_ids).flatten(0, 1)\n"
        "    return F.cross_entropy(logits, targets.flatten(), ignore_index=ignore_index)",
        says="You give the loss after the step. It is that from before, whose gradients were stepped with.",
    ),
    Mistake(
        "ignore-index-not-passed-on",
        find=PASSED,
        replace="accumulate_gradients(model, token_ids, targets, micro_batch_size)",
        says="train_step does not pass its ignore_index on to accumulate_gradients.",
    ),
    Mistake(
        "nothing-given",
        find=f"{STEP}    return loss",
        replace=f"{STEP}    return None",
        says="train_step gives no loss. It gives that of accumulate_gradients.",
    ),
    Mistake(
        "each-group-clipped",
        find="        nn.utils.clip_grad_norm_(model.parameters(), max_norm)",
        replace="        for group in optimizer.param_groups:\n"
        '            nn.utils.clip_grad_norm_(group["params"], max_norm)',
        says="You clip each of the optimizer's groups by its own norm. It is one norm, of all gradients as "
        "one vector, whatever the groups are.",
    ),
    Mistake(
        "first-group-clipped",
        find="nn.utils.clip_grad_norm_(model.parameters(), max_norm)",
        replace='nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], max_norm)',
        says="You clip the gradients of the optimizer's first group alone. It is one norm, of all gradients "
        "as one vector, and one factor for all of them.",
    ),
    Mistake(
        "short-gradients-stretched",
        find="        nn.utils.clip_grad_norm_(model.parameters(), max_norm)",
        replace="        norm = nn.utils.get_total_norm([param.grad for param in model.parameters()])\n"
        "        for param in model.parameters():\n"
        "            param.grad.mul_(max_norm / (norm + 1e-6))",
        says="You scale the gradients to the norm max_norm in any case, so short ones grow. The factor is at "
        "most 1: min(1, max_norm / norm).",
    ),
    Mistake(
        "clipped-without-being-asked",
        find="    if max_norm is not None:\n        nn.utils.clip_grad_norm_(model.parameters(), max_norm)",
        replace="    nn.utils.clip_grad_norm_(model.parameters(), 1.0 if max_norm is None else max_norm)",
        says="You clip where max_norm is None (to 1.0, for example). Without max_norm nothing is clipped.",
    ),
    Mistake(
        "switched-to-training-for-the-step",
        find=ZERO,
        replace=f"    model.train()\n{ZERO}",
        says="train_step switches the model to training mode. It stays in the mode in which the caller has "
        "put it, as in accumulate_gradients: leave model.train() to the caller.",
    ),
    Mistake(
        "switched-to-training-for-the-step-and-back",
        find=ZERO,
        replace=f"    was_training = model.training\n    model.train()\n{ZERO}",
        also=((f"{STEP}    return loss", f"{STEP}    model.train(was_training)\n    return loss"),),
        says="train_step runs the model in training mode, and puts it back into its own afterwards. It stays "
        "in the mode in which the caller has put it: leave train() and eval() away.",
    ),
    Mistake(
        "switched-to-training-after-the-step",
        find=STEP,
        replace=f"{STEP}    model.train()\n",
        says="train_step leaves the model in training mode, in which it was perhaps not. It stays in the "
        "mode in which the caller has put it.",
    ),
    Mistake(
        "switched-to-evaluation-after-the-step",
        find=STEP,
        replace=f"{STEP}    model.eval()\n",
        says="train_step leaves the model in evaluation mode. It stays in the mode in which the caller has "
        "put it.",
    ),
    Mistake(
        "gradients-clipped-in-copies",
        find=CLIPPED,
        replace="""\
        flat = [param.grad.reshape(-1) for param in model.parameters()]
        factor = max_norm / (torch.cat(flat).norm() + 1e-6)
        for each in flat:
            each.mul_(factor.clamp(max=1.0))""",
        says="A gradient that is not contiguous is not clipped: reshape(-1) makes a copy of it, for example, "
        "and you scale that. Scale param.grad itself, in place.",
    ),
    *(
        Mistake(
            f"{which}-group-{done}",
            find=CLIPPED,
            replace=replace.replace("GROUP", f"optimizer.param_groups[{place}]"),
            says=f"{what} the optimizer's {which} group alone{why}. It is one norm, of all gradients as one "
            "vector, and one factor for all of them.",
        )
        for which, place, done, replace, what, why in (
            ("last", -1, "clipped", CLIPPED_GROUP, "You clip the gradients of", STALE),
            ("last", -1, "scaled", SCALED_GROUP, "The norm is that of all gradients, but you scale", STALE),
            ("first", 0, "scaled", SCALED_GROUP, "The norm is that of all gradients, but you scale", ""),
        )
    ),
    *(
        Mistake(
            id_,
            find=CLIPPED,
            replace=f"""\
        norms = torch.stack([param.grad.norm() for param in model.parameters()])
        for param in model.parameters():
            param.grad.mul_((max_norm / ({norm} + 1e-6)).clamp(max=1.0))""",
            says=says,
        )
        for id_, norm, says in (
            (
                "sum-of-norms",
                "norms.sum()",
                "You add up the norms of the parameters' gradients. The norm of all of them as one vector is "
                "the norm of their norms: square, add, take the root.",
            ),
            (
                "norm-without-root",
                "norms.square().sum()",
                "You divide by the sum of the squares of all gradients. Their norm is the root of it.",
            ),
            (
                "largest-of-the-norms",
                "norms.max()",
                "You take the largest of the parameters' norms. Wanted is the norm of all gradients as one "
                "vector, which is the norm of these norms.",
            ),
            (
                "last-norm",
                "norms[-1]",
                "Your norm is that of the last gradient alone: in the loop each overwrites that before it, "
                "for example. It is the norm of all gradients as one vector.",
            ),
        )
    ),
]
