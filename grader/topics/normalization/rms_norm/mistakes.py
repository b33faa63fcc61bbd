"""Known wrong versions of `rms_norm`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

MISTAKES = [
    Mistake(
        "mean-subtracted",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="""\
        wide = wide - wide.mean(dim=-1, keepdim=True)
        mean_square = wide.square().mean(dim=-1, keepdim=True)""",
        says="You subtract the mean: what you have is layer norm without a bias. RMS norm only divides, "
        "by the root of the mean of the squares of x itself.",
    ),
    Mistake(
        "divided-by-the-standard-deviation",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.var(dim=-1, correction=0, keepdim=True)",
        says="You divide by the standard deviation, whose squares are taken after the mean was "
        "subtracted. RMS norm takes the mean of the squares of x as it is.",
    ),
    *(
        Mistake(
            name,
            find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
            replace=f"        normalized = wide / ({root} + self.eps)",
            says=f"You add eps to the root mean square. It belongs inside the root: sqrt(mean_square + eps). "
            f"{consequence}",
        )
        for name, root, consequence in [
            (
                "eps-outside-the-root",
                "torch.sqrt(mean_square)",
                "Outside, the root has an infinite derivative at a vector of zeros: the gradient can be NaN.",
            ),
            (  # Its gradient at zeros is finite.
                "eps-outside-the-norm",
                "torch.linalg.vector_norm(wide, dim=-1, keepdim=True) / wide.shape[-1] ** 0.5",
                "Outside, it changes results by other amounts: vectors of small numbers come out too large.",
            ),
        ]
    ),
    Mistake(
        "no-eps",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="        normalized = wide * torch.rsqrt(mean_square)",
        says="You leave eps out. For a vector of zeros that is 0 / 0, NaN. Add eps to the mean square, "
        "inside the root.",
    ),
    Mistake(
        "eps-as-a-floor",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="        normalized = wide * torch.rsqrt(mean_square.clamp(min=self.eps))",
        says="You use eps as a lower bound of the mean square. It is added, always: sqrt(mean_square + eps).",
    ),
    *(
        Mistake(
            name,
            find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
            replace=f"        normalized = wide / ({root}).clamp(min=self.eps)",
            says="You use eps as a lower bound of the root mean square. It is added, always, and inside the "
            "root: sqrt(mean_square + eps).",
        )
        for name, root in {
            # Its gradient at zeros is NaN.
            "eps-as-a-floor-of-the-root": "torch.sqrt(mean_square)",
            "eps-as-a-floor-of-the-norm": "torch.linalg.vector_norm(wide, dim=-1, keepdim=True)"
            " / wide.shape[-1] ** 0.5",
        }.items()
    ),
    Mistake(
        "eps-as-a-floor-of-the-length",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="""\
        length = torch.linalg.vector_norm(wide, dim=-1, keepdim=True).clamp(min=self.eps)
        normalized = wide / length * wide.shape[-1] ** 0.5""",
        says="You use eps as a lower bound of the vector's length, as F.normalize does. It is added, always, "
        "to the mean square inside the root: sqrt(mean_square + eps).",
    ),
    Mistake(
        "eps-fixed",
        find="        self.eps = eps",
        replace="        self.eps = 1e-6",
        says="You write 1e-6 into the layer, so the argument eps has no effect. It is the default only: "
        "use what was passed.",
    ),
    Mistake(
        "eps-of-layer-norm",
        find="eps: float = 1e-6",
        replace="eps: float = 1e-5",
        says="Your default for eps is 1e-5, that of nn.LayerNorm. Here it is 1e-6, as in most code of "
        "RMS norm.",
    ),
    Mistake(
        "sum-of-squares",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().sum(dim=-1, keepdim=True)",
        says="You divide by the length of the vector, the root of the sum of squares, so the features "
        "shrink as hidden_size grows. Take the mean of the squares: then each is about 1.",
    ),
    Mistake(
        "root-forgotten",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="        normalized = wide / (mean_square + self.eps)",
        says="You divide by the mean square. Divide by its root: only then is the mean square of the "
        "result 1.",
    ),
    Mistake(
        "mean-of-absolute-values",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.abs().mean(dim=-1, keepdim=True).square()",
        says="You average the absolute values. The root mean square squares first, then averages, then "
        "takes the root; the order matters.",
    ),
    Mistake(
        "mean-square-unbiased",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().sum(dim=-1, keepdim=True) / (wide.shape[-1] - 1)",
        says="You divide the sum of squares by hidden_size - 1. That correction belongs to a variance "
        "whose mean was estimated; here it is a plain mean, divided by hidden_size.",
    ),
    Mistake(
        "statistics-over-the-batch",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().mean(dim=0, keepdim=True)",
        says="You average the squares over the first dimension, so a vector's result depends on the "
        "others in the batch. Each vector is normalized by itself: over the last dimension.",
    ),
    Mistake(
        "statistics-over-the-sequence-too",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().mean(dim=(-2, -1), keepdim=True)",
        says="You average the squares over more than the last dimension (the last two, or all but the "
        "first, for example), so the tokens of a sequence share them. Each token's vector is normalized by "
        "itself: over the last dimension alone.",
    ),
    Mistake(
        "statistics-over-everything",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().mean()",
        says="You average the squares of the whole tensor, so all vectors are divided by the same number. "
        "mean() without dim goes over all dimensions. Each vector is normalized by itself: mean(dim=-1, "
        "keepdim=True).",
    ),
    Mistake(
        "squared-in-half-precision",
        find="        wide = x.to(torch.promote_types(x.dtype, torch.float32))",
        replace="        wide = x",
        says="You square in half precision. float16 ends at 65504, so the square of 256 is inf and the "
        "result 0, and squares of small values vanish. Convert to float32 before you square.",
    ),
    Mistake(
        "result-left-in-float32",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="        return self.weight * normalized",
        says="You compute in float32, which is right, but return it too: the result has to have the "
        "dtype of x. Convert it back at the end.",
    ),
    Mistake(
        "rounded-before-the-weight-only",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="        return self.weight * normalized.to(x.dtype)",
        says="Where x is float16 or bfloat16 and the weight is float32, your result is float32: whatever is "
        "multiplied by the weight takes its dtype. The result has the dtype of x: convert to it at the very "
        "end, behind the weight.",
    ),
    Mistake(
        "weight-plus-one",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="        return ((1 + self.weight) * normalized).to(x.dtype)",
        says="You scale by 1 + weight. Gemma does that, with a weight that starts at zeros; here the "
        "weight starts at ones and is the factor itself.",
    ),
    Mistake(
        "weight-starts-at-zero-plus-one",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace="        self.weight = nn.Parameter(torch.zeros(hidden_size))",
        also=(("(self.weight * normalized)", "((1 + self.weight) * normalized)"),),
        says="You have Gemma's variant: a weight that starts at zeros, and 1 + weight as the factor. Here "
        "the weight is the factor itself and starts at ones, as in Llama and nn.RMSNorm: with a checkpoint's "
        "weights the two give different results.",
    ),
    Mistake(
        "weight-forgotten",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="        return normalized.to(x.dtype)",
        says="You never multiply by the weight, so it gets no gradient. The result is weight * normalized.",
    ),
    Mistake(
        "bias-added",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace="""\
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))""",
        says="You have a bias. RMS norm has a weight only; neither shift, the mean before nor the bias "
        "after, is part of it.",
    ),
    Mistake(
        "weight-not-a-parameter",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace='        self.register_buffer("weight", torch.ones(hidden_size))',
        says="Your weight is a tensor but not a parameter, so no optimizer ever sees it and it stays at "
        "ones. Wrap it: nn.Parameter(torch.ones(hidden_size)).",
    ),
    Mistake(
        "weight-starts-at-zero",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace="        self.weight = nn.Parameter(torch.zeros(hidden_size))",
        says="Your weight starts at zero, so the layer first gives nothing but zeros, and no gradient "
        "reaches x. The scale starts at ones.",
    ),
    Mistake(
        "input-modified",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="        normalized = wide.mul_(torch.rsqrt(mean_square + self.eps))",
        says="You scale in place. A conversion to the dtype that x has makes no copy, so that changes the "
        "caller's tensor (in a transformer: the residual). Make a new tensor: x * …, not x *= … or "
        "x.mul_(…).",
    ),
    Mistake(
        "input-modified-without-gradients",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="""\
        inverse = torch.rsqrt(mean_square + self.eps)
        normalized = wide * inverse if wide.requires_grad else wide.mul_(inverse)""",
        says="You work in place on what may be the caller's tensor: detach and view never copy, and a "
        "conversion to float32 copies no float32, for example. So x is changed. Make a new tensor.",
    ),
    instance_mistakes.kept_on_the_class("        self.eps = eps\n", "eps"),
    Mistake(
        "statistics-over-dimension-one",
        find="wide.square().mean(dim=-1, keepdim=True)",
        replace="wide.square().mean(dim=1, keepdim=True)",
        says="You take the mean square over dimension 1. That is the last one for a batch of vectors only; "
        "for (batch, sequence, features) it is the sequence. Count from the end: dim=-1.",
    ),
    Mistake(
        "squared-before-widening",
        find="wide.square().mean(dim=-1, keepdim=True)",
        replace="x.square().to(wide.dtype).mean(dim=-1, keepdim=True)",
        says="You square in half precision and convert to float32 afterwards, when the squares of 300 are "
        "inf already and those of 1e-4 have lost their digits. Convert first, then square.",
    ),
    Mistake(
        "mean-square-in-half-precision",
        find="wide.square().mean(dim=-1, keepdim=True)",
        replace="x.square().mean(dim=-1, keepdim=True).to(wide.dtype)",
        says="You take the mean square in half precision and convert only that to float32: the squares of "
        "300 overflow, and those of 1e-4 have lost their digits. Convert x first, then square.",
    ),
    Mistake(
        "eps-added-to-the-sum",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().sum(dim=-1, keepdim=True) / wide.shape[-1]",
        also=(("(mean_square + self.eps)", "(mean_square + self.eps / wide.shape[-1])"),),
        says="You add eps to the sum of squares and divide by hidden_size afterwards, so it counts "
        "hidden_size times too little. It is added to the mean square.",
    ),
    Mistake(
        "eps-added-to-the-values",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="        normalized = wide * torch.rsqrt((wide + self.eps).square().mean(-1, keepdim=True))",
        says="You add eps to x before you square. It is added to the mean square, inside the root.",
    ),
    Mistake(
        "eps-squared",
        find="        normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="        normalized = wide * torch.rsqrt(mean_square + self.eps**2)",
        says="You add eps². It is eps itself that is added to the mean square.",
    ),
    *(
        Mistake(
            f"eps-of-{eps}-by-default",
            find="eps: float = 1e-6",
            replace=f"eps: float = {eps}",
            says=f"Your default for eps is {eps}. Here it is 1e-6.",
        )
        for eps in ("1e-8", "1e-12")
    ),
]
