"""Known wrong versions of `mlp_torch`."""

from grader.kit import Mistake


def other_gradient(id_: str, gradient: str, says: str) -> Mistake:
    """With a ReLU whose backward pass makes `gradient` of the one that comes in, g."""
    return Mistake(
        id_,
        find="        hidden = torch.relu(pre)",
        replace=f"""\
        hidden = pre + (torch.relu(pre) - pre).detach()
        if hidden.requires_grad:
            hidden.register_hook(lambda g: {gradient})""",
        says=f"Your values are right, but your own ReLU {says} The gradient of what was above 0 is to pass "
        "as it is, that of all else becomes 0: torch.relu does both.",
    )


MISTAKES = [
    Mistake(
        "relu-missing",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = pre",
        says="You have no activation between the layers. Two linear layers in a row are one linear layer, "
        "whatever the hidden size: W2 (W1 x) = (W2 W1) x. Apply ReLU to the output of fc1.",
    ),
    Mistake(
        "relu-on-the-output",
        find="        return self.fc2(hidden)",
        replace="        return torch.relu(self.fc2(hidden))",
        says="You apply ReLU to the output, so it can never be negative, and where it is 0 no gradient "
        "flows. ReLU stands between the two layers only; the second one is linear.",
    ),
    Mistake(
        "relu-on-the-input",
        find="""\
        pre = self.fc1(x)  # (..., hidden_size)
        # Without ReLU the two layers would be one: a product of matrices is a matrix.
        hidden = torch.relu(pre)""",
        replace="        hidden = self.fc1(torch.relu(x))",
        says="You apply ReLU to the input, which throws away its negative part, and nothing stands between "
        "the two linear layers. The order is fc1, ReLU, fc2.",
    ),
    Mistake(
        "input-overwritten-by-relu",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(nn.functional.relu(x, inplace=True))",
        says="You apply an in-place ReLU to x: that changes the caller's tensor, and a leaf that requires a "
        "gradient raises. x goes into fc1 as it is; ReLU comes after.",
    ),
    Mistake(
        "gelu-instead-of-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = nn.functional.gelu(pre)",
        says="You use GELU. Later transformers do, but here ReLU was asked for: max(x, 0).",
    ),
    Mistake(
        "leaky-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = nn.functional.leaky_relu(pre)",
        says="You use leaky ReLU, which lets 1 % of a negative value through. ReLU gives exactly 0 there.",
    ),
    Mistake(
        "sigmoid-instead-of-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = torch.sigmoid(pre)",
        says="You use a sigmoid between the layers. It saturates on both sides, where its gradient vanishes; "
        "ReLU was asked for: max(x, 0).",
    ),
    Mistake(
        "tanh-instead-of-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = torch.tanh(pre)",
        says="You use tanh between the layers. It saturates on both sides, where its gradient vanishes; "
        "ReLU was asked for: max(x, 0).",
    ),
    Mistake(
        "softmax-on-the-output",
        find="        return self.fc2(hidden)",
        replace="        return torch.softmax(self.fc2(hidden), dim=-1)",
        says="You apply a softmax to the output. The network gives what fc2 gives (logits, in a classifier): "
        "cross entropy applies the softmax itself, and twice is wrong.",
    ),
    *(
        Mistake(
            "dropout-added" + suffix,
            find="        hidden = torch.relu(pre)",
            replace=f"        hidden = nn.functional.dropout(torch.relu(pre), {p}, self.training)",
            says="You drop hidden units in training. That is common, but not asked for here: training and "
            "evaluation give the same.",
        )
        # What is dropped is drawn from the worker's seed, so that it is the same for the same rate.
        for p, suffix in ((0.5, ""), (0.1, "-0.1"), (0.2, "-0.2"))
    ),
    Mistake(
        "hidden-detached",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = torch.relu(pre).detach()",
        says="Your values are right, but no gradient reaches x: you cut the graph, at x or between the "
        "layers (detach, .data and no_grad all do). Between them it is fc1 that never learns.",
    ),
    other_gradient(
        "gradient-by-its-own-sign",
        "g * (g > 0)",
        "goes by the sign of the gradient that comes in: it lets the positive ones through, whatever the "
        "input was.",
    ),
    other_gradient(
        "gradient-by-both-signs",
        "g * (g > 0) * (pre > 0)",
        "lets only positive gradients back (as guided backpropagation does, to show what a network sees).",
    ),
    other_gradient(
        "gradient-through-everything",
        "g",
        "lets every gradient back, also where the input was below 0.",
    ),
    other_gradient(
        "gradient-where-below-zero",
        "g * (pre < 0)",
        "has its mask the wrong way round: gradients come back where the input was below 0.",
    ),
    other_gradient(
        "gradient-times-the-output",
        "g * torch.relu(pre)",
        "multiplies the gradient by its output instead of by 1.",
    ),
    Mistake(
        "no-biases",
        find="""\
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)""",
        replace="""\
        self.fc1 = nn.Linear(input_size, hidden_size, bias=False)
        self.fc2 = nn.Linear(hidden_size, output_size, bias=False)""",
        says="Your layers have no bias. Both have one here (the default of nn.Linear): without it every "
        "hidden unit's kink goes through the origin, and x = 0 always gives 0.",
    ),
    *(
        Mistake(
            f"no-bias-in-{layer}",
            find=f"        self.{layer} = nn.Linear({sizes})",
            replace=f"        self.{layer} = nn.Linear({sizes}, bias=False)",
            says=f"Your {layer} has no bias. Both layers have one here (the default of nn.Linear).",
        )
        for layer, sizes in (("fc1", "input_size, hidden_size"), ("fc2", "hidden_size, output_size"))
    ),
    Mistake(
        "layers-in-a-list",
        find="""\
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)""",
        replace="""\
        layers = [nn.Linear(input_size, hidden_size), nn.Linear(hidden_size, output_size)]
        self.__dict__.update(layers=layers, fc1=layers[0], fc2=layers[1])""",
        says="Your module has no parameters: it does not see layers that are kept in a Python list or dict, "
        "or on the class, for example, so no optimizer trains them and the state dict is empty. Assign each "
        "layer to an attribute: self.fc1, self.fc2.",
    ),
    Mistake(
        "layers-in-a-sequential",
        find="""\
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)""",
        replace="""\
        first, second = nn.Linear(input_size, hidden_size), nn.Linear(hidden_size, output_size)
        self.net = nn.Sequential(first, nn.ReLU(), second)
        self.__dict__.update(fc1=first, fc2=second)""",
        says="Your layers are right, but their weights are called net.0 and net.2 after their place in the "
        "Sequential. They have to be fc1 and fc2, so that weights can be loaded by name: assign them to "
        "self.fc1 and self.fc2.",
    ),
    Mistake(
        "sizes-swapped",
        find="        self.fc1 = nn.Linear(input_size, hidden_size)",
        replace="        self.fc1 = nn.Linear(hidden_size, input_size)",
        says="You swap the sizes of fc1: nn.Linear takes the input's size first, then the output's. (Its "
        "weight is stored the other way round, (output, input), which misleads.)",
    ),
    Mistake(
        "sizes-of-fc2-swapped",
        find="nn.Linear(hidden_size, output_size)",
        replace="nn.Linear(output_size, hidden_size)",
        says="You swap the sizes of fc2: nn.Linear takes the input's size first, then the output's. (Its "
        "weight is stored the other way round, (output, input), which misleads.)",
    ),
    Mistake(
        "sizes-of-both-swapped",
        find="nn.Linear(input_size, hidden_size)",
        replace="nn.Linear(hidden_size, input_size)",
        also=(("nn.Linear(hidden_size, output_size)", "nn.Linear(output_size, hidden_size)"),),
        says="You swap the sizes of both layers: nn.Linear takes the input's size first, then the output's. "
        "(Its weight is stored the other way round, (output, input), which misleads.)",
    ),
    *(
        Mistake(
            f"fc2-to-{size}-size",
            find="nn.Linear(hidden_size, output_size)",
            replace=f"nn.Linear(hidden_size, {size}_size)",
            says=f"Your fc2 leads to {size}_size features{like}. It leads to output_size, which is a size of "
            "its own here.",
        )
        for size, like in (
            ("input", ", as in a transformer, whose feed-forward network comes back to where it began"),
            ("hidden", ""),
        )
    ),
    Mistake(
        "super-not-called",
        find="        super().__init__()\n",
        replace="",
        says="You do not call super().__init__(), so the module has no place to register its layers, and the "
        "first assignment fails. Call it before anything else in __init__.",
    ),
    Mistake(
        "module-instead-of-its-result",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = nn.ReLU(pre)",
        says="nn.ReLU(pre) makes a ReLU module (pre is taken for its argument inplace); it does not apply "
        "one. Make the module first and call it, nn.ReLU()(pre), or use the function torch.relu(pre).",
    ),
    Mistake(
        "leading-dimensions-flattened",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.flatten(1))",
        says="You flatten everything but the first dimension, as before a classifier of images. Here the "
        "features are the last dimension alone: nn.Linear acts on it and leaves the others as they are.",
    ),
    Mistake(
        "leading-dimensions-not-restored",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.reshape(-1, x.shape[-1]))",
        says="You make one list of vectors out of the leading dimensions and leave it at that, so (2, 3, 5) "
        "comes out as (6, 1). Shape the result back, x.shape[:-1] and then the output's size, or flatten "
        "nothing: nn.Linear acts on the last dimension and leaves the others as they are.",
    ),
    Mistake(
        "vector-made-a-batch",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(torch.atleast_2d(x))",
        says="You make a batch of one out of a single vector, and leave it at that: (1, output_size) comes "
        "where (output_size,) is expected. Take the dimension off again, or add none: nn.Linear takes a "
        "vector as it is.",
    ),
    *(
        Mistake(
            f"{count}-dimensions-alone",
            find="        pre = self.fc1(x)",
            replace=f"        {sizes} = x.shape\n        pre = self.fc1(x)",
            says=f"You take {count} dimensions, {sizes} = x.shape or the like. There may be any number of "
            "leading ones, or none: take what you need from the end, x.shape[-1], or nothing at all.",
        )
        for count, sizes in (("two", "batch, features"), ("three", "batch, seq, features"))
    ),
    Mistake(
        "view-of-any-layout",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.view(-1, x.shape[-1]).view(x.shape))",
        says="You flatten x with view, which raises for a transposed tensor: its rows do not lie behind each "
        "other in memory. Use reshape, or none at all: nn.Linear takes any leading dimensions.",
    ),
    Mistake(
        "cast-to-float32",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.float())",
        says="You cast to float32 on the way (x.float(), for example), so a float64 network multiplies a "
        "float32 matrix by a float64 one, which raises. Cast nothing: x has the dtype of the parameters.",
    ),
    Mistake(
        "output-squeezed",
        find="        return self.fc2(hidden)",
        replace="        return self.fc2(hidden).squeeze()",
        says="You squeeze the output, which removes every dimension of size 1: the batch of a single sample, "
        "a single token, a single output. The leading dimensions stay as they are.",
    ),
    Mistake(
        "first-dimension-squeezed",
        find="        return self.fc2(hidden)",
        replace="        return self.fc2(torch.atleast_2d(hidden)).squeeze(0)",
        says="You take the first dimension off the output wherever its size is 1 (squeeze(0), for example), "
        "also where x came with it, as a batch of one. Take off only what you have added, or add nothing: "
        "nn.Linear takes a vector as it is.",
    ),
    Mistake(
        "last-dimension-squeezed",
        find="        return self.fc2(hidden)",
        replace="        return self.fc2(hidden).squeeze(-1)",
        says="You take the last dimension off the output where its size is 1. It is output_size, and stays "
        "where that is 1, too.",
    ),
    Mistake(
        "output-in-float32",
        find="        return self.fc2(hidden)",
        replace="        return self.fc2(hidden).float()",
        says="Your output is float32, whatever came: it is cast, or written into a tensor of the default "
        "dtype, for example. It has the dtype of x and the parameters: float64 stays float64.",
    ),
]
