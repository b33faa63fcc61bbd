"""Known wrong versions of `batch_norm` in its running averages, and in one of the two modes."""

from grader.kit import Mistake

VARIANCE = '        self.register_buffer("running_var", torch.ones(num_features))'
MEAN = "self.running_mean += self.momentum * (mean - self.running_mean)"
UNBIASED = "self.running_var += self.momentum * (unbiased - self.running_var)"
DEVIATION = "torch.sqrt(variance.view(columns) + self.eps)"
OUTSIDE = "torch.sqrt(variance.view(columns)) + self.eps"
COUNTED = "            self.batches += 1\n"

MISTAKES = [
    Mistake(
        "running-variance-biased",
        find="                unbiased = variance * n / (n - 1)",
        replace="                unbiased = variance",
        says="You update running_var with the biased variance, by which the batch is normalized. "
        "PyTorch stores the unbiased one, n / (n - 1) times as large: an estimate of the variance of the "
        "data, not of the batch.",
    ),
    Mistake(
        "unbiased-as-if-square",
        find="                n = x.numel() // x.shape[1]",
        replace="                n = x.shape[0] * x.shape[-1] ** (x.dim() - 2)",
        says="For the unbiased variance you count the positions of an image as if it were square, width "
        "times width. n is the batch size times height times width: x.numel() / num_features.",
    ),
    Mistake(
        "unbiased-by-the-positions",
        find="                n = x.numel() // x.shape[1]",
        replace="                n = max(x[0, 0].numel(), 2)",
        says="You correct the variance with the number of positions of one sample. n is the number of values "
        "per channel: the batch size times the number of positions, x.numel() / num_features.",
    ),
    Mistake(
        "momentum-reversed",
        find="""\
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)""",
        replace="""\
                self.running_mean += (1 - self.momentum) * (mean - self.running_mean)
                self.running_var += (1 - self.momentum) * (unbiased - self.running_var)""",
        says="Your momentum is reversed: you keep 0.1 of the old average and take 0.9 of the new batch. "
        "In PyTorch momentum is the part of the new value: running = (1 - momentum) * running + momentum "
        "* new.",
    ),
    Mistake(
        "evaluation-uses-the-batch",
        find="""\
            mean = self.running_mean
            variance = self.running_var""",
        replace="""\
            mean = x.mean(dim=dims)
            variance = x.var(dim=dims, correction=0)""",
        says="You normalize with the batch's own mean and variance in evaluation too, so a sample's "
        "result depends on its batch, and a batch of one (with no positions) gives just the bias. Use "
        "running_mean and running_var there.",
    ),
    Mistake(
        "updated-in-evaluation",
        find="""\
        if self.training:
            mean = x.mean(dim=dims)  # (num_features,)
            variance = x.var(dim=dims, correction=0)  # (num_features,)
            # Without no_grad the averages would hold on to the graphs of all batches so far.
            with torch.no_grad():
                n = x.numel() // x.shape[1]
                # The batch is a sample: n / (n - 1) makes its variance an unbiased estimate of the data's.
                unbiased = variance * n / (n - 1)
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)
        else:
            mean = self.running_mean
            variance = self.running_var""",
        replace="""\
        mean = x.mean(dim=dims)
        variance = x.var(dim=dims, correction=0)
        averages = self.running_mean.clone(), self.running_var.clone()
        with torch.no_grad():
            n = x.numel() // x.shape[1]
            unbiased = variance * n / max(n - 1, 1)
            self.running_mean += self.momentum * (mean - self.running_mean)
            self.running_var += self.momentum * (unbiased - self.running_var)
        if not self.training:
            mean, variance = averages""",
        says="You update the running averages in evaluation too, so validation data gets into the "
        "model, and the result depends on what was evaluated before. Update them only if self.training.",
    ),
    Mistake(
        "averages-keep-the-graph",
        find="            with torch.no_grad():",
        replace="            if True:",
        says="You update the running averages with tensors that are part of the graph, so they require "
        "gradients, keep the graphs of all earlier batches in memory, and backward runs into them in "
        "evaluation. Update under torch.no_grad() (or with mean.detach()).",
    ),
    *(
        Mistake(
            f"{name.replace('_', '-')}-keeps-the-graph",
            find=f"                self.{name} += self.momentum * ({new} ",
            replace=f"""\
                with torch.enable_grad():
                    unbiased = variance * n / (n - 1)
                    self.{name} += self.momentum * ({new} """,
            says=f"You update {name} with a tensor that is part of the graph, so it requires gradients, "
            "keeps the graphs of all earlier batches in memory, and backward runs into them in evaluation. "
            "Update both averages under torch.no_grad(), or with what was detached.",
        )
        for name, new in (("running_mean", "mean"), ("running_var", "unbiased"))
    ),
    Mistake(
        "buffers-not-registered",
        find="""\
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))""",
        replace="""\
        self.running_mean = torch.zeros(num_features)
        self.running_var = torch.ones(num_features)""",
        says="You keep the running averages as plain attributes, so they are not in the state dict (a "
        "loaded model evaluates with zeros and ones), and to() does not convert or move them. Use "
        "register_buffer.",
    ),
    Mistake(
        "buffers-not-persistent",
        find="""\
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))""",
        replace="""\
        self.register_buffer("running_mean", torch.zeros(num_features), persistent=False)
        self.register_buffer("running_var", torch.ones(num_features), persistent=False)""",
        says="You register the buffers with persistent=False, which keeps them out of the state dict: a "
        "loaded model evaluates with zeros and ones. They are as much part of the trained model as the "
        "weights.",
    ),
    Mistake(
        "averages-are-parameters",
        find="""\
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))""",
        replace="""\
        self.running_mean = nn.Parameter(torch.zeros(num_features), requires_grad=False)
        self.running_var = nn.Parameter(torch.ones(num_features), requires_grad=False)""",
        says="You make the running averages parameters. Even without a gradient they appear in "
        "parameters(), for the optimizer, weight decay and initialization to meddle with. What is stored "
        "but not learned is a buffer: register_buffer.",
    ),
    Mistake(
        "running-variance-starts-at-zero",
        find='        self.register_buffer("running_var", torch.ones(num_features))',
        replace='        self.register_buffer("running_var", torch.zeros(num_features))',
        says="Your running_var starts at zeros, so evaluation before or early in training divides by "
        "almost nothing. It starts at ones, and running_mean at zeros: then an untrained layer is the "
        "identity.",
    ),
    Mistake(
        "running-averages-in-training",
        find="""\
        else:
            mean = self.running_mean
            variance = self.running_var""",
        replace="""\
        mean = self.running_mean.clone()
        variance = self.running_var.clone()""",
        says="You normalize with the running averages in training too. There the batch's own mean and "
        "variance are used, and gradients flow through them; the averages are only updated, for "
        "evaluation.",
    ),
    Mistake(
        "running-standard-deviation",
        find="                unbiased = variance * n / (n - 1)",
        replace="                unbiased = (variance * n / (n - 1)).sqrt()",
        says="You put the standard deviation into running_var. It holds the variance; the root is taken "
        "when it is used, after eps was added.",
    ),
    Mistake(
        "running-sums",
        find="""\
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)""",
        replace="""\
                self.running_mean += self.momentum * mean
                self.running_var += self.momentum * unbiased""",
        says="You add the new value without taking a part of the old one away, so the averages grow "
        "with every batch. running = (1 - momentum) * running + momentum * new.",
    ),
    Mistake(
        "momentum-fixed",
        find="        self.momentum = momentum",
        replace="        self.momentum = 0.1",
        says="You write 0.1 into the layer, so the argument momentum has no effect. It is the default "
        "only: use what was passed.",
    ),
    Mistake(
        "eps-in-running-var",
        find="unbiased = variance * n / (n - 1)",
        replace="unbiased = (variance + self.eps) * n / (n - 1)",
        says="Your running_var takes in variance + eps. eps is for the root alone; in evaluation it is added "
        "anyhow.",
    ),
    Mistake(
        "eps-twice-in-evaluation",
        find="variance = self.running_var\n",
        replace="variance = self.running_var + self.eps\n",
        says="In evaluation you add eps twice. Once is enough: sqrt(running_var + eps).",
    ),
    Mistake(
        "no-eps-in-evaluation",
        find=DEVIATION,
        replace=DEVIATION.replace("self.eps", "self.eps * self.training"),
        says="In evaluation you leave eps out. It is added to the variance there too: sqrt(running_var + "
        "eps).",
    ),
    Mistake(
        "eps-outside-the-root-in-evaluation",
        find=DEVIATION,
        replace=f"({DEVIATION} if self.training else {OUTSIDE})",
        says="In evaluation you add eps to the standard deviation. It belongs to the variance there too, as "
        "in training: sqrt(running_var + eps).",
    ),
    Mistake(
        "eps-outside-the-root-in-training",
        find=DEVIATION,
        replace=f"({OUTSIDE} if self.training else {DEVIATION})",
        says="In training you add eps to the standard deviation. It belongs to the variance, as in "
        "evaluation: sqrt(variance + eps). Outside, a variance of 0 gives the root an infinite derivative.",
    ),
    Mistake(
        "root-forgotten-in-evaluation",
        find=DEVIATION,
        replace=f"({DEVIATION} if self.training else variance.view(columns) + self.eps)",
        says="In evaluation you divide by the variance. running_var holds variances: divide by the root, "
        "sqrt(running_var + eps).",
    ),
    Mistake(
        "default-momentum",
        find="momentum: float = 0.1",
        replace="momentum: float = 0.9",
        says="Your default momentum is 0.9. It is 0.1 here, as in nn.BatchNorm1d: it is the part of "
        "the *new* value.",
    ),
    Mistake(
        "never-in-evaluation",
        find="        if self.training:",
        replace="        if x.dim() >= 2:",
        says="Your layer does in evaluation what it does in training: it normalizes with the batch's own "
        "statistics, and the running averages go on. In evaluation, which self.training tells, normalize "
        "with running_mean and running_var, and leave them as they are.",
    ),
    *(
        Mistake(
            name,
            find=VARIANCE,
            replace=f"{VARIANCE}\n        self.batches = 0",
            also=(
                ("            with torch.no_grad():\n", f"{COUNTED}            with torch.no_grad():\n"),
                (MEAN, MEAN.replace("self.momentum", momentum)),
                (UNBIASED, UNBIASED.replace("self.momentum", momentum)),
            ),
            says=says,
        )
        for name, momentum, says in [
            (
                "first-batch-replaces-the-averages",
                "(1 if self.batches == 1 else self.momentum)",
                "Your first batch replaces the running averages. (1 - momentum) * running + momentum * new "
                "holds from the first batch on: what they start with, zeros and ones or what was loaded, "
                "only fades.",
            ),
            (
                "averages-of-all-batches",
                "(1 / self.batches)",
                "Your running averages are plain means over all batches so far, as those of nn.BatchNorm1d "
                "with momentum=None, and the first batch replaces what was there. Asked for is (1 - "
                "momentum) * running + momentum * new, from the first batch on.",
            ),
        ]
    ),
]
