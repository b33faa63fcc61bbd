"""Known wrong versions of `gradient_checkpointing` that keep too much, or a seed for a state."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "only-real-inputs-are-trained",
        find="requires_grad_(ctx.needs_input_grad[2 + place])",
        replace="requires_grad_(saved.is_floating_point() and ctx.needs_input_grad[2 + place])",
        says="Complex inputs get no gradient: in your second run only floating-point ones require one, since "
        "whole numbers cannot. Go by whether the input requires a gradient, which whole numbers never do.",
    ),
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
    Mistake(
        "state-kept-for-all-calls",
        find="ctx.rng_state = torch",
        replace="_Recomputed.rng_state = torch",
        also=(("set_rng_state(ctx.rng_state)", "set_rng_state(_Recomputed.rng_state)"),),
        says="You keep the generator's state where all calls share it (on the class, for example), so the "
        "next checkpoint overwrites it before backward comes, and dropout drops other entries than in the "
        "value. Keep it on ctx, as the inputs.",
    ),
    Mistake(
        "states-kept-on-a-stack",
        find="ctx.rng_state = torch.get_rng_state()",
        replace="STATES.append(torch.get_rng_state())",
        also=(
            ("set_rng_state(ctx.rng_state)", "set_rng_state(STATES.pop())"),
            ("class _Recomputed(", "STATES = []\n\n\nclass _Recomputed("),
        ),
        says="You keep the generator's states on a stack, for all calls together, and backward takes the "
        "last one. That is another call's as soon as there is a call that nobody goes back through. Each "
        "call keeps its own: on ctx.",
    ),
    Mistake(
        "states-kept-in-a-queue",
        find="ctx.rng_state = torch.get_rng_state()",
        replace="STATES.append(torch.get_rng_state())",
        also=(
            ("set_rng_state(ctx.rng_state)", "set_rng_state(STATES.pop(0))"),
            ("class _Recomputed(", "STATES = []\n\n\nclass _Recomputed("),
        ),
        says="You keep the generator's states in a list, for all calls together, and backward takes the "
        "first one. But backward comes to the last call first. Each call keeps its own: on ctx.",
    ),
    Mistake(
        "other-inputs-kept-for-all-calls",
        find="ctx.others = [",
        replace="_Recomputed.others = [",
        also=(("list(ctx.others)", "list(_Recomputed.others)"),),
        says="You keep the inputs that are no tensors where all calls share them (on the class, for "
        "example), so the next checkpoint overwrites them before backward comes. Keep them on ctx.",
    ),
    Mistake(
        "run-for-each-output",
        find="            outputs = ctx.function(*inputs)\n",
        replace="""\
            for _ in grad_outputs:
                torch.set_rng_state(ctx.rng_state)
                outputs = ctx.function(*inputs)
""",
        says="Where the function gives several tensors you run it again for each of them: each output has a "
        "node of its own, for example. It runs once more when backward comes, for all outputs together: let "
        "one Function give them all.",
    ),
    Mistake(
        "lists-and-dicts-copied",
        find="    return _Recomputed.apply(trigger, function, *inputs)",
        replace="""\
    inputs = [type(value)(value) if isinstance(value, list | dict) else value for value in inputs]
    return _Recomputed.apply(trigger, function, *inputs)""",
        says="A list or a dict among the inputs reaches the function as a copy (deepcopy, or built anew with "
        "its tensors, for example), so what the function writes there is lost. What is no tensor is handed "
        "on as it is.",
    ),
]
