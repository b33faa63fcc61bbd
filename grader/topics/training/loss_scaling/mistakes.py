"""Known wrong versions of `loss_scaling`."""

from grader.kit import Mistake

FINITE = "if not all(bool(grad.isfinite().all()) for grad in grads):"
DIVIDE = """\
        for grad in grads:
            grad.div_(self.current)
"""
BACK_OFF = """\
            self.current *= self.backoff_factor
            self._good_updates = 0
"""
ROW = """\
            if self._good_updates == self.growth_interval:
                self.current *= self.growth_factor
                self._good_updates = 0
"""

MISTAKES = [
    Mistake(
        "never-unscaled",
        find=DIVIDE,
        replace="",
        says="Your optimizer steps with the scaled gradients, which are `current` times too long. Divide "
        "them by the scale before its step, not after it.",
    ),
    Mistake(
        "multiplied-again",
        find="grad.div_(self.current)",
        replace="grad.mul_(self.current)",
        says="You multiply the gradients by the scale once more. The loss was multiplied, so are they: "
        "divide.",
    ),
    Mistake(
        "first-gradient-only-divided",
        find="        for grad in grads:\n",
        replace="        for grad in grads[:1]:\n",
        says="You divide only some of the gradients, for example those of the first group. All parameters "
        "in all groups of the optimizer count.",
    ),
    Mistake(
        "first-group-only",
        find="            for group in optimizer.param_groups\n",
        replace="            for group in optimizer.param_groups[:1]\n",
        says="You look at the first of the optimizer's groups only: the others' gradients are neither "
        "checked nor divided. Go through all of optimizer.param_groups.",
    ),
    Mistake(
        "nan-unnoticed",
        find="grad.isfinite().all()",
        replace="not grad.isinf().any()",
        says="You look for inf only. inf - inf and 0 * inf are NaN: skip for NaN as well (isfinite knows "
        "both).",
    ),
    Mistake(
        "inf-unnoticed",
        find="grad.isfinite().all()",
        replace="not grad.isnan().any()",
        says="You look for NaN only. What overflows becomes inf: skip for inf as well (isfinite knows both).",
    ),
    Mistake(
        "minus-inf-unnoticed",
        find="grad.isfinite().all()",
        replace="grad.max() < float('inf')",
        says="You look for inf alone (you compare the largest entry with it, say) and find no -inf. "
        "Use isfinite on all entries.",
    ),
    Mistake(
        "first-gradient-only-checked",
        find=FINITE,
        replace="if not all(bool(grad.isfinite().all()) for grad in grads[:1]):",
        says="You check only some of the gradients. One inf in any of them must skip the step.",
    ),
    *(
        Mistake(
            f"{which}-entry-only-checked",
            find="grad.isfinite().all()",
            replace=f"grad.flatten()[{place}].isfinite()",
            says=f"Of each gradient you check some entries only, the {which} one, for example. An inf or NaN "
            "anywhere in it must skip the step: take isfinite of all entries, then .all().",
        )
        for which, place in (("first", 0), ("last", -1))
    ),
    Mistake(
        "sum-checked",
        find=FINITE,
        replace="if not all(bool(grad.sum().isfinite()) for grad in grads):",
        says="You check the sum of a gradient. The sum of large finite numbers overflows, too, and steps "
        "are skipped that need not be. Check the entries.",
    ),
    Mistake(
        "norm-checked",
        find=FINITE,
        replace="if not all(bool(grad.norm().isfinite()) for grad in grads):",
        says="You check the norm of a gradient, whose squares overflow long before the entries do. Check "
        "the entries.",
    ),
    Mistake(
        "one-skip-for-all",
        find=FINITE,
        replace=FINITE.replace("if not", "if self._skipped or not"),
        says="Once an optimizer has skipped its step, those after it skip theirs too. Each decides by its "
        "own gradients; that any has skipped counts in update.",
    ),
    Mistake(
        "stepped-anyway",
        find="            self._skipped = True\n            return False\n",
        replace="            self._skipped = True\n",
        also=(
            (
                "        optimizer.step()\n        return True",
                "        optimizer.step()\n        return not self._skipped",
            ),
        ),
        says="You notice the overflow and step all the same: one inf makes the weights inf or NaN for good. "
        "Skip the optimizer's step.",
    ),
    Mistake(
        "gradients-zeroed-instead-of-skipped",
        find="            self._skipped = True\n            return False\n",
        replace="""\
            self._skipped = True
            for grad in grads:
                grad.zero_()
            optimizer.step()
            return False
""",
        says="You step with other gradients where some have overflowed. A skipped step is none: the "
        "optimizer's averages and weight decay would go on, too.",
    ),
    Mistake(
        "nothing-returned",
        find="        return True",
        replace="        return None",
        says="A step that was made should give True.",
    ),
    Mistake(
        "backs-off-at-once",
        find="            self._skipped = True\n",
        replace="            self._skipped = True\n            self.current *= self.backoff_factor\n",
        also=((BACK_OFF, "            self._good_updates = 0\n"),),
        says="You change the scale in step. Another optimizer's gradients have still been made with the old "
        "one: change it in update, once.",
    ),
    Mistake(
        "never-backs-off",
        find="            self.current *= self.backoff_factor\n",
        replace="",
        says="After a skipped step your scale stays, so the next steps overflow as well. update multiplies "
        "it by backoff_factor.",
    ),
    Mistake(
        "divided-by-the-backoff",
        find="self.current *= self.backoff_factor",
        replace="self.current /= self.backoff_factor",
        says="You divide by backoff_factor, which is below 1: the scale grows. Multiply.",
    ),
    Mistake(
        "never-grows",
        find=ROW,
        replace="",
        says="Your scale only falls. After growth_interval good updates in a row it is multiplied by "
        "growth_factor.",
    ),
    Mistake(
        "steps-counted-for-updates",
        find="        optimizer.step()\n",
        replace="        self._good_updates += 1\n        optimizer.step()\n",
        also=(("            self._good_updates += 1\n" + ROW, ROW.replace("==", ">=")),),
        says="You count steps. With two optimizers an update has two of them, and the scale grows twice as "
        "early: growth_interval counts updates, so count in update.",
    ),
    Mistake(
        "row-not-ended-by-a-skip",
        find=BACK_OFF,
        replace="            self.current *= self.backoff_factor\n",
        says="You count good updates on across a skipped one. They have to be in a row: begin anew after a "
        "skip.",
    ),
    Mistake(
        "row-not-ended-by-growth",
        find=ROW,
        replace="""\
            if self._good_updates >= self.growth_interval:
                self.current *= self.growth_factor
""",
        says="After the first growth your scale grows in every update. The count of good updates begins "
        "anew.",
    ),
    Mistake(
        "grows-one-update-late",
        find="self._good_updates == self.growth_interval",
        replace="self._good_updates > self.growth_interval",
        says="Your scale grows one update late. The growth_interval-th good update in a row is the one that "
        "grows it.",
    ),
    Mistake(
        "skips-counted-in-the-row",
        find=BACK_OFF + "        else:\n",
        replace="            self.current *= self.backoff_factor\n        if True:\n",
        says="You count skipped updates among the good ones. Only updates without a skipped step count, and "
        "a skip begins the row anew.",
    ),
    Mistake(
        "last-optimizer-decides",
        find="            return False\n        for grad in grads:",
        replace="            return False\n        self._skipped = False\n        for grad in grads:",
        says="A good step makes you forget that another optimizer skipped its own. update backs off if any "
        "step since the last update was skipped.",
    ),
    Mistake(
        "skip-never-forgotten",
        find="                self._good_updates = 0\n        self._skipped = False",
        replace="                self._good_updates = 0",
        says="Once a step has been skipped, your scale is backed off in every update. Forget it at the end "
        "of update.",
    ),
    Mistake(
        "loss-detached",
        find="return loss * self.current",
        replace="return torch.tensor(loss.item() * self.current, dtype=loss.dtype)",
        says="Your scaled loss is cut off from the graph, so there is nothing for backward. Multiply the "
        "tensor.",
    ),
    Mistake(
        "loss-in-float32",
        find="return loss * self.current",
        replace="return loss.float() * self.current",
        says="Your scaled loss is float32, whatever the loss is. It keeps the loss's dtype.",
    ),
    Mistake(
        "loss-scaled-in-place",
        find="return loss * self.current",
        replace="return loss.mul_(self.current)",
        says="You multiply the caller's loss in place: it is logged with the wrong value. Give a new tensor.",
    ),
]
