"""Known wrong versions of `mlp_numpy`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "bias-gradient-averaged",
        find="""\
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "b1": grad_pre.mean(axis=0),
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.mean(axis=0),""",
        says="You average the gradients of the biases over the batch. A bias is added to every row, so its"
        " gradient is the sum of theirs. If the loss is a mean, its 1 / batch is already in "
        "grad_output.",
    ),
    Mistake(
        "gradients-accumulated",
        find="        return grad_pre @ self.W1.T  # (batch, input)",
        replace="""\
        self._sums = {k: getattr(self, "_sums", {}).get(k, 0) + g for k, g in self.grads.items()}
        self.grads = self._sums
        return grad_pre @ self.W1.T  # (batch, input)""",
        says="You add the gradients to those of the call before. PyTorch does that, and needs zero_grad "
        "for it; this backward replaces what an earlier call left in grads.",
    ),
    Mistake(
        "relu-mask-missing",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden",
        says="You pass the gradient through ReLU as if it were the identity. Where the input of ReLU was "
        "not positive the output is constant, so the gradient there is 0: multiply by (pre > 0).",
    ),
    *(
        Mistake(
            f"relu-mask-missing-{where}",
            find=right,
            replace=right.replace("grad_pre", "grad_hidden"),
            says=f"Your gradient of {of} is taken before the mask of ReLU, from grad_output @ W2.T. Where "
            "the input of ReLU was not positive nothing flows back: take it from what is behind the mask, as "
            "the others are.",
        )
        for where, right, of in [
            ("in-b1", '"b1": grad_pre.sum(axis=0),', "b1"),
            ("in-w1", '"W1": self._x.T @ grad_pre,', "W1"),
            ("in-x", "return grad_pre @ self.W1.T", "x"),
        ]
    ),
    Mistake(
        "relu-mask-from-the-gradient",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden * (grad_hidden > 0)",
        says="You apply ReLU to the gradient: the mask tests the sign of the gradient. What decides is the"
        " sign of the forward input: multiply by (pre > 0), saved in forward. Negative gradients "
        "pass.",
    ),
    Mistake(
        "w2-not-transposed",
        find="        grad_hidden = grad_output @ self.W2.T",
        replace="        grad_hidden = grad_output @ self.W2",
        says="You send the gradient back through W2 instead of its transpose: an error unless hidden_size "
        "equals output_size, and wrong values then. Forward multiplies by W2, so backward multiplies "
        "by W2.T; the shapes (batch, output) @ (output, hidden) say so.",
    ),
    Mistake(
        "weight-gradient-from-the-pre-activation",
        find='"W2": self._hidden.T @ grad_output,',
        replace='"W2": self._pre.T @ grad_output,',
        says="You build the gradient of W2 from the values before ReLU. The input of the second layer is "
        "what comes out of ReLU: hidden.T @ grad_output.",
    ),
    Mistake(
        "weight-gradient-transposed",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "W1": grad_pre.T @ self._x,
            "b1": grad_pre.sum(axis=0),
            "W2": grad_output.T @ self._hidden,
            "b2": grad_output.sum(axis=0),""",
        says="Your gradients of W1 and W2 are transposed, (output, input), as PyTorch's nn.Linear stores "
        "its weight. Here W1 is (input, hidden) and W2 (hidden, output), and a gradient has the shape"
        " of its weight: input.T @ grad.",
    ),
    Mistake(
        "upstream-modified",
        find="        grad_hidden = grad_output @ self.W2.T",
        replace="""\
        grad_output /= len(grad_output)
        grad_hidden = grad_output @ self.W2.T""",
        says="You divide grad_output by the batch size in place: the caller's array is changed, and "
        "gradients that are computed from it afterwards are too small. Leave it as it is: if the loss is a "
        "mean, the division is already in it.",
    ),
    Mistake(
        "weight-gradient-averaged",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "W1": self._x.T @ grad_pre / len(grad_output),
            "b1": grad_pre.sum(axis=0),
            "W2": self._hidden.T @ grad_output / len(grad_output),
            "b2": grad_output.sum(axis=0),""",
        says="You divide the gradients of W1 and W2 by the batch size. x.T @ grad sums over the batch, as "
        "the chain rule says; if the loss is a mean, its 1 / batch is already in grad_output.",
    ),
    Mistake(
        "relu-mask-inverted",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden * (self._pre <= 0)",
        says="Your mask is upside down: the gradient passes where ReLU was closed. It passes where the "
        "input of ReLU was positive: multiply by (pre > 0).",
    ),
    Mistake(
        "bias-gradient-keeps-the-batch-axis",
        find="""\
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "b1": grad_pre.sum(axis=0, keepdims=True),
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0, keepdims=True),""",
        says="Your bias gradients have shape (1, n). A gradient has the shape of its weight, here (n,): "
        "sum over axis 0 without keepdims. Otherwise b1 -= rate * grad fails.",
    ),
    Mistake(
        "relu-on-the-output",
        find="        return self._hidden @ self.W2 + self.b2",
        replace="        return np.maximum(self._hidden @ self.W2 + self.b2, 0)",
        says="You apply ReLU to the output too, so it can never be negative. ReLU stands between the two "
        "layers only; the second one is linear.",
    ),
    Mistake(
        "relu-on-the-output-and-in-backward",
        find="        return self._hidden @ self.W2 + self.b2",
        replace="""\
        self._output = np.maximum(self._hidden @ self.W2 + self.b2, 0)
        return self._output""",
        also=(
            (
                "        grad_hidden = grad_output @ self.W2.T",
                """\
        grad_output = grad_output * (self._output > 0)
        grad_hidden = grad_output @ self.W2.T""",
            ),
        ),
        says="You apply a second ReLU, to the output, and pass grad_output back through it. So the output "
        "can never be negative, and where it is 0 no gradient flows. ReLU stands between the two layers "
        "only; the second one is linear.",
    ),
    Mistake(
        "output-squeezed",
        find="        return self._hidden @ self.W2 + self.b2",
        replace="        return np.squeeze(self._hidden @ self.W2 + self.b2)",
        says="Your output loses a dimension of size 1 (by squeeze, for example): a batch of one comes out as "
        "a single vector. It is (batch, output) for every batch and every output_size.",
    ),
    Mistake(
        "relu-mask-without-the-bias",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden * (self._x @ self.W1 > 0)",
        says="Your ReLU mask tests x @ W1 without the bias. What went into ReLU in forward is x @ W1 + b1: "
        "save that, and multiply by (pre > 0). (With biases of zero, as at first, the two are the same.)",
    ),
    Mistake(
        "all-gradients-averaged",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "W1": self._x.T @ grad_pre / len(grad_output),
            "b1": grad_pre.mean(axis=0),
            "W2": self._hidden.T @ grad_output / len(grad_output),
            "b2": grad_output.mean(axis=0),""",
        says="You average the gradients of all four weights over the batch. They are sums over it: the "
        "loss decides whether it is a mean, and if so, 1 / batch is already in grad_output.",
    ),
    Mistake(
        "relu-forgotten",
        find="        self._hidden = np.maximum(self._pre, 0)",
        replace="        self._hidden = self._pre",
        says="Your forward has no ReLU. Without it two linear layers are just one: apply np.maximum(pre, "
        "0) between them.",
    ),
    Mistake(
        "w1-not-transposed",
        find="        return grad_pre @ self.W1.T  # (batch, input)",
        replace="        return grad_pre @ self.W1",
        says="You send the gradient back to x through W1 instead of its transpose: an error unless "
        "input_size equals hidden_size, and wrong values then. Forward multiplies by W1, so backward "
        "multiplies by W1.T.",
    ),
    Mistake(
        "input-gradient-left-at-the-hidden-layer",
        find="        return grad_pre @ self.W1.T  # (batch, input)",
        replace="        return grad_pre",
        says="You return the gradient of what goes into ReLU, (batch, hidden). One step is missing to the "
        "gradient of x: grad_pre @ W1.T, (batch, input).",
    ),
    Mistake(
        "first-layer-averaged",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
""",
        replace="""\
            "W1": self._x.T @ grad_pre / len(grad_pre),
            "b1": grad_pre.mean(axis=0),
""",
        says="You average the gradients of W1 and b1 over the batch, but not those of W2 and b2. All four "
        "are sums over it: if the loss is a mean, its 1 / batch is already in grad_output.",
    ),
    Mistake(
        "w1-gradient-averaged",
        find='"W1": self._x.T @ grad_pre,',
        replace='"W1": self._x.T @ grad_pre / len(grad_pre),',
        says="You average the gradient of W1 over the batch, unlike the other three. x.T @ grad is the sum "
        "over it, and that is right: if the loss is a mean, its 1 / batch is already in grad_output.",
    ),
    Mistake(
        "b1-gradient-averaged",
        find='"b1": grad_pre.sum(axis=0),',
        replace='"b1": grad_pre.mean(axis=0),',
        says="You average the gradient of b1 over the batch, unlike the other three. A bias is added to "
        "every row, so its gradient is the sum of theirs: sum(axis=0).",
    ),
    *(
        Mistake(
            f"xavier-limit-of-the-{which}-layer-for-both",
            find="np.sqrt(6 / (fan_in + fan_out))",
            replace="np.sqrt(6 / both)",
            also=(
                (
                    "def _xavier_uniform(fan_in: int, fan_out: int,",
                    "def _xavier_uniform(fan_in, fan_out, both,",
                ),
                ("(input_size, hidden_size, rng)", f"(input_size, hidden_size, {sizes}, rng)"),
                ("(hidden_size, output_size, rng)", f"(hidden_size, output_size, {sizes}, rng)"),
            ),
            says=f"You draw both layers with one limit, {words}. Each layer has its own, from its own sizes: "
            "sqrt(6 / (fan_in + fan_out)).",
        )
        for which, sizes, words in [
            ("first", "input_size + hidden_size", "that of the first"),
            ("second", "hidden_size + output_size", "that of the second"),
            ("whole", "input_size + output_size", "from the sizes of the whole network's input and output"),
        ]
    ),
    Mistake(
        "kept-on-the-class",
        find="        self._x = x\n",
        replace="        MLP._x = x\n",
        also=(("self._pre = x", "MLP._pre = x"), ("self._hidden = np", "MLP._hidden = np")),
        says="Your networks share what forward keeps for backward: on the class, in a global variable, or "
        "on a stack from which backward takes what was put there last, whoever put it there. Where another "
        "network runs in between, backward differentiates that one. Keep it on self.",
    ),
]
