"""Known wrong versions of `batch_norm` that are wrong where nothing is learned, or few samples are given."""

from grader.kit import Mistake

_TRAINING = "        if self.training:\n"
_GUARD = "            with torch.no_grad():\n"
_NORMALIZED = "        normalized = (x - mean.view(columns))"
_KEPT = "            variance = self.running_var\n"
_MEAN = "self.running_mean += self.momentum"
_VARIANCE = "self.running_var += self.momentum"

MISTAKES = [
    Mistake(
        "one-sample-taken-for-evaluation",
        find=_TRAINING,
        replace="        if self.training and len(x) > 1:\n",
        says="In training you normalize a batch of one sample with the running averages, and do not take it "
        "in. Where it has several positions there are n = several values of each channel: its own mean and "
        "variance count.",
    ),
    Mistake(
        "frozen-taken-for-evaluation",
        find=_TRAINING,
        replace="        if self.training and any(each.requires_grad for each in self.parameters()):\n",
        says="Where weight and bias require no gradient, you normalize with the running averages in training "
        "too (as Keras does where trainable is False). The mode alone decides, self.training: that a "
        "parameter is frozen says nothing of it.",
    ),
    Mistake(
        "averages-updated-with-gradients-alone",
        find=_GUARD,
        replace=f"            recorded = torch.is_grad_enabled()\n{_GUARD}",
        also=((_MEAN, f"{_MEAN} * recorded"), (_VARIANCE, f"{_VARIANCE} * recorded")),
        says="In training you update the running averages only where gradients are enabled. The mode alone "
        "decides, self.training: under torch.no_grad() a batch is taken in too (to estimate the averages "
        "anew, for example).",
    ),
    Mistake(
        "variance-of-the-first-evaluation-kept",
        find=_KEPT,
        replace="""\
            if getattr(self, "kept", None) is None:
                self.kept = self.running_var.clone()
            variance = self.kept
""",
        also=((_GUARD, f"            self.kept = None\n{_GUARD}"),),
        says="In evaluation you keep the variance (or 1 / sqrt(running_var + eps)) of the first call until "
        "the next training step, so running averages that are loaded in between do not count. Take "
        "running_var as it is in each call.",
    ),
    Mistake(
        "x-written-to-without-gradients",
        find=_NORMALIZED,
        replace=f"""\
        if not self.training and not torch.is_grad_enabled():
            x.sub_(mean.view(columns))
            mean = torch.zeros_like(mean)
{_NORMALIZED}""",
        says="In evaluation without gradients you write into x, which belongs to the caller (by an operation "
        "in place, for example). Nobody needs x for a backward pass then, but the caller may need it: make a "
        "new tensor.",
    ),
    Mistake(
        "running-variance-grows-in-evaluation",
        find=_KEPT,
        replace="""\
            variance = self.running_var.clone()
            with torch.no_grad():
                n = x.numel() // x.shape[1]
                self.running_var += self.momentum * variance / max(n - 1, 1) * (n > 1)
""",
        says="In evaluation you take into running_var what you normalize with, running_var itself times n / "
        "(n - 1), so it grows with every call: the update stands behind the if that tells the modes apart, "
        "for example. Update the averages only if self.training.",
    ),
]
