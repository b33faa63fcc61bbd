"""Known wrong versions of `gradient_checkpointing` that keep too much, or a seed for a state."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "just-called-without-trained-inputs",
        find="    return _Recomputed.apply(trigger, function, *inputs)",
        replace="""\
    if not any(isinstance(value, Tensor) and value.requires_grad for value in inputs):
        return function(*inputs)
    return _Recomputed.apply(trigger, function, *inputs)""",
        says="Where no input requires gradients you just call the function. It may know parameters that do, "
        "and then autograd keeps everything that it computes on the way. Run it without gradients there as "
        "well, and again in backward.",
    ),
    Mistake(
        "seed-kept-for-the-state",
        find="torch.get_rng_state()  # dropout",
        replace="torch.initial_seed()  # dropout",
        also=(("torch.set_rng_state(ctx.rng_state)", "torch.default_generator.manual_seed(ctx.rng_state)"),),
        says="For the second run you seed the generator with the seed that it once began with "
        "(torch.initial_seed()). It does not tell how far the generator has come since, so your second run "
        "draws what was drawn first of all, not what the function drew. Keep the generator's state: "
        "torch.get_rng_state().",
    ),
]
