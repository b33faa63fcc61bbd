"""Known wrong versions of `gradient_checkpointing`."""

from grader.kit import Mistake

FORK = "with torch.random.fork_rng(devices=[]), torch.enable_grad():"
RESTORE = "            torch.set_rng_state(ctx.rng_state)\n"
FIRST_STATE = "        torch.set_rng_state(ctx.rng_state)\n"
OUTPUTS = "        outputs = outputs if isinstance(outputs, tuple)"
KEEP = "        ctx.rng_state = torch.get_rng_state()  # dropout has to draw the same again\n"
RUN = "        return function(*inputs)  # gradients are off in here: nothing is kept on the way"
BACKWARD = "torch.autograd.backward(outputs, grad_outputs)  # reaches the parameters, too"

MISTAKES = [
    Mistake(
        "just-called",
        find="    return _Recomputed.apply(trigger, function, *inputs)",
        replace="    return function(*inputs)",
        says="You call the function and let autograd record it: everything that it computes on the way is "
        "kept. Run it without gradients, keep its inputs, and run it again in backward.",
    ),
    Mistake(
        "recorded-in-forward",
        find=RUN,
        replace="        with torch.enable_grad():\n            return function(*inputs)",
        says="You run the function with gradients enabled in forward, so that all it computes is saved for "
        "a backward pass. Run it without: it is repeated later.",
    ),
    Mistake(
        "output-kept",
        find="        ctx.save_for_backward(*(inputs[place] for place in ctx.places))\n" + RUN,
        replace="""\
        output = function(*inputs)
        outputs = output if isinstance(output, tuple) else (output,)
        ctx.save_for_backward(*(inputs[place] for place in ctx.places), *outputs)
        return output""",
        also=(("ctx.saved_tensors, strict=True)", "ctx.saved_tensors, strict=False)"),),
        says="You save the outputs for backward as well. They are computed again anyway: the inputs are "
        "enough.",
    ),
    Mistake(
        "recomputed-without-gradients",
        find=FORK,
        replace="with torch.random.fork_rng(devices=[]):",
        says="Inside backward gradients are off, so your second run records nothing, and there is nothing "
        "to go back through. Run it under torch.enable_grad().",
    ),
    Mistake(
        "generator-not-set-back",
        find=RESTORE,
        replace="",
        says="Your second run draws new random numbers, so dropout drops other entries than in the value: "
        "the gradients are those of another function. Keep the generator's state before the first run and "
        "set it for the second.",
    ),
    Mistake(
        "generator-kept-after-the-run",
        find=KEEP,
        replace="",
        also=(
            (
                RUN,
                """\
        output = function(*inputs)
        ctx.rng_state = torch.get_rng_state()
        return output""",
            ),
        ),
        says="You keep the generator's state after the first run, when its numbers are drawn already. Keep "
        "it before.",
    ),
    Mistake(
        "generator-left-behind",
        find=FORK,
        replace="with torch.enable_grad():",
        says="Your second run leaves the generator where the first one had, so that what is drawn next has "
        "been drawn before: the next layers' dropout repeats itself. Put the state back afterwards "
        "(torch.random.fork_rng).",
    ),
    Mistake(
        "generator-set-back-to-the-first-run",
        find=OUTPUTS,
        replace=f"{FIRST_STATE}{OUTPUTS}",
        says="After your second run the generator is where it was before the first one, so that what is "
        "drawn next has been drawn before. Keep the state that it has when backward comes, and put that back "
        "(torch.random.fork_rng).",
    ),
    Mistake(
        "seeded",
        find=KEEP,
        replace="        torch.manual_seed(0)\n",
        also=((RESTORE, "            torch.manual_seed(0)\n"),),
        says="You seed the generator before both runs: they agree, but every call drops the same entries, "
        "in every step. Keep the state that the generator has, and set that.",
    ),
    Mistake(
        "inputs-not-detached",
        find="saved.detach().requires_grad_(ctx.needs_input_grad[2 + place])",
        replace="saved",
        says="You run the function on the saved inputs themselves: the inner backward pass goes on through "
        "them into the past, and their gradients are added twice or missing. Detach them first.",
    ),
    Mistake(
        "no-trigger",
        find="requires_grad=True)",
        replace="requires_grad=False)",
        says="Where no input requires gradients your Function's output does not either, so backward never "
        "comes here and the parameters inside learn nothing. Pass a tensor that requires gradients as well.",
    ),
    Mistake(
        "everything-requires-gradients",
        find="saved.detach().requires_grad_(ctx.needs_input_grad[2 + place])",
        replace="saved.detach().requires_grad_()",
        says="You ask gradients for every tensor. Whole numbers can have none: ask only for those that "
        "required gradients.",
    ),
    Mistake(
        "everything-saved",
        find="        ctx.save_for_backward(*(inputs[place] for place in ctx.places))\n",
        replace="        ctx.save_for_backward(*inputs)\n",
        says="You give all inputs to save_for_backward, which takes tensors only. Keep numbers, texts and "
        "the like in an attribute of ctx.",
    ),
    Mistake(
        "inputs-marked",
        find='    trigger = torch.empty(0, device="cpu", requires_grad=True)\n',
        replace="""\
    for value in inputs:
        if isinstance(value, Tensor) and value.is_floating_point():
            value.requires_grad_()
    trigger = torch.empty(0, device="cpu", requires_grad=True)
""",
        says="You switch requires_grad on in the caller's inputs: some of them are to have none. Pass a "
        "tensor of your own that requires gradients.",
    ),
    Mistake(
        "first-input-only",
        find="        return None, None, *grads",
        replace="        first, *others = grads\n        return None, None, first, *(None for _ in others)",
        says="You give back the gradient of the first input only. Give one for every input, None for what "
        "is no tensor.",
    ),
    Mistake(
        "gradients-of-the-tensors-first",
        find="        return None, None, *grads",
        replace="""\
        found = [value.grad for value in inputs if isinstance(value, Tensor)]
        return None, None, *found, *[None] * (len(inputs) - len(found))""",
        says="Your backward returns the gradients of the tensors one after the other, so where a number, a "
        "text or None stands between them the next tensor's gradient comes in its place. Return one thing "
        "for each input in its own order, None for what is no tensor.",
    ),
    Mistake(
        "gradients-of-the-tensors-alone",
        find="(value.grad if isinstance(value, Tensor) else None for value in inputs)",
        replace="(value.grad for value in inputs if isinstance(value, Tensor))",
        says="Your backward returns gradients for the tensors alone, which are too few where numbers, texts "
        "or None are among the inputs. Return None in the place of each of these.",
    ),
    Mistake(
        "no-none-for-the-function",
        find="        return None, None, *grads",
        replace="        return None, *grads",
        says="Your backward returns fewer gradients than forward has arguments (without ctx): the function, "
        "and what else stands before the inputs, count too. Return None for each of these.",
    ),
    Mistake(
        "one-none-too-many",
        find="        return None, None, *grads",
        replace="        return None, None, None, *grads",
        says="Your backward returns more gradients than forward has arguments. ctx is none of them: return "
        "one for each of the others, in their order.",
    ),
    Mistake(
        "inputs-alone",
        find=BACKWARD,
        replace="""\
wanted = [value for value in inputs if isinstance(value, Tensor) and value.requires_grad]
        found = torch.autograd.grad(outputs, wanted, grad_outputs) if wanted else []
        for value, gradient in zip(wanted, found, strict=True):
            value.grad = gradient""",
        says="You ask autograd for the gradients of the inputs alone, so the parameters inside the function "
        "get none. torch.autograd.backward goes to all leaves.",
    ),
    Mistake(
        "upstream-ignored",
        find=BACKWARD,
        replace="torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])",
        says="You begin the inner backward pass with ones, as if the sum of the outputs were the loss. It "
        "begins with the gradients that come in: torch.autograd.backward(outputs, grad_outputs).",
    ),
    Mistake(
        "first-output-only",
        find=BACKWARD,
        replace="torch.autograd.backward(outputs[:1], grad_outputs[:1])",
        says="You go back from the first output only. A tuple's outputs all have gradients.",
    ),
    Mistake(
        "unused-outputs-without-gradients",
        find="        ctx.function = function\n",
        replace="        ctx.set_materialize_grads(False)\n        ctx.function = function\n",
        says="You go back from outputs that are not used as well, and what comes in for these is None, since "
        "you call ctx.set_materialize_grads(False). torch.autograd.backward takes None for 1 where the "
        "output is a scalar, and raises for others. Leave such outputs out (or that call: zeros come then).",
    ),
    Mistake(
        "tensors-before-the-others",
        find="            outputs = ctx.function(*inputs)\n",
        replace="""\
            tensors = [value for value in inputs if isinstance(value, Tensor)]
            outputs = ctx.function(*tensors, *(value for value in inputs if not isinstance(value, Tensor)))
""",
        says="Your second run gets the tensors first and the other inputs after them. Keep the place of "
        "each, and hand them over in their own order.",
    ),
    Mistake(
        "kept-for-all-calls",
        find="        ctx.function = function\n",
        replace="        _Recomputed.function = staticmethod(function)\n",
        also=(
            ("ctx.function(*inputs)", "_Recomputed.function(*inputs)"),
            (
                "ctx.save_for_backward(*(inputs[place] for place in ctx.places))",
                "_Recomputed.kept = [inputs[place] for place in ctx.places]",
            ),
            ("ctx.saved_tensors", "_Recomputed.kept"),
        ),
        says="You keep the function and its inputs where all calls share them (on the class, for example), "
        "so the next checkpoint overwrites them before backward comes. Keep them on ctx.",
    ),
    Mistake(
        "run-twice-in-backward",
        find="            outputs = ctx.function(*inputs)\n",
        replace="""\
            ctx.function(*inputs)
            torch.set_rng_state(ctx.rng_state)
            outputs = ctx.function(*inputs)
""",
        says="You run the function more often than needed (again for each tensor that it saves, for "
        "example). Once in forward, and once in backward: that second run gives the outputs and records what "
        "backward needs.",
    ),
    Mistake(
        "run-twice-in-forward",
        find="    trigger = torch.empty",
        replace="    function(*inputs)\n    trigger = torch.empty",
        says="You run the function more than once in forward. Once is enough: the first run without "
        "gradients gives the value.",
    ),
    Mistake(
        "backward-output-by-output",
        find="        torch.autograd.backward(outputs, grad_outputs)  # reaches the parameters, too\n",
        replace="""\
        for output, gradient in zip(outputs, grad_outputs, strict=True):
            if gradient is not None and output.requires_grad:
                output.backward(gradient)
""",
        says="You go backward from one output after the other. What they have in common on the way is freed "
        "by the first, and the second raises. Hand all of them to one torch.autograd.backward.",
    ),
]
