"""Known wrong versions of `mlm_masking`."""

from grader.kit import Mistake

LABELS = "    labels = input_ids.masked_fill(~chosen, -100)"
CHOSEN = "    chosen = torch.rand(shape, generator=generator, device=device) < probability"
FATE = "    fate = torch.rand(shape, generator=generator, device=device)"
MASKED = "    inputs = input_ids.masked_fill(chosen & (fate < 0.8), mask_id)"
OTHERS = "torch.randint(vocab_size, shape, generator=generator, device=device, dtype=input_ids.dtype)"

MISTAKES = [
    Mistake(
        "labels-everywhere",
        find=LABELS,
        replace="    labels = input_ids.clone()",
        says="Your labels are the tokens everywhere. Only those that were chosen are to be guessed; the "
        "others have the label -100, which cross entropy leaves out: a model that copies would look good "
        "otherwise.",
    ),
    Mistake(
        "labels-inverted",
        find=LABELS,
        replace="    labels = input_ids.masked_fill(chosen, -100)",
        says="Your labels are the wrong way round: -100 stands where a token was chosen.",
    ),
    Mistake(
        "labels-only-where-something-changed",
        find="    return inputs, labels",
        replace="    return inputs, labels.masked_fill(inputs == input_ids, -100)",
        says="You give no label to chosen tokens that stay. These are to be guessed too: that is why the "
        "model cannot trust any token that it sees.",
    ),
    Mistake(
        "labels-only-where-replaced",
        find="    return inputs, labels",
        replace="    return inputs, labels.masked_fill((fate >= 0.8) & (fate < 0.9), -100)",
        says="You give no label to the tokens that were chosen to stay. These are to be guessed too: that is "
        "why the model cannot trust any token that it sees.",
    ),
    Mistake(
        "labels-only-where-masked",
        find="    return inputs, labels",
        replace="    return inputs, labels.masked_fill(inputs != mask_id, -100)",
        says="You give labels to masked tokens only. All that were chosen have one, also those that became "
        "another token, and those that stay.",
    ),
    Mistake(
        "labels-after-masking",
        find="    return inputs, labels",
        replace="    return inputs, inputs.masked_fill(~chosen, -100)",
        says="Your labels are what stands in the inputs after masking (a copy was missing, perhaps). The "
        "labels are the original tokens.",
    ),
    Mistake(
        "labels-filled-with-zero",
        find=LABELS,
        replace="    labels = input_ids.masked_fill(~chosen, 0)",
        says="Where no token was chosen your label is 0, which is a token. It is -100, the ignore_index of "
        "cross entropy.",
    ),
    Mistake(
        "all-chosen-are-masked",
        find="chosen & (fate < 0.8)",
        replace="chosen",
        also=(("chosen & (fate >= 0.9)", "chosen & (fate >= 2)"),),
        says="All chosen tokens become the mask token. Of ten, one becomes a random token and one stays: "
        "the model is used on texts without mask tokens.",
    ),
    Mistake(
        "none-stays",
        find="chosen & (fate >= 0.9)",
        replace="chosen & (fate >= 0.8)",
        says="You give random tokens to all that are not masked, 20 %. Half of these stay as they are.",
    ),
    Mistake(
        "no-random-tokens",
        find="chosen & (fate >= 0.9)",
        replace="chosen & (fate >= 2)",
        says="You give random tokens to none: 20 % stay. Half of these become a random token.",
    ),
    Mistake(
        "a-tenth-of-the-rest",
        find=FATE,
        replace=f"""\
{FATE}
    again = torch.rand(shape, generator=generator, device=device)
    fate = torch.where(fate < 0.8, fate, torch.where(again < 0.1, 0.95, 0.85))""",
        says="You draw the random tokens with 10 % among those that are not masked: that is 2 % of the "
        "chosen. Among these the share is a half, 0.1 / 0.2.",
    ),
    Mistake(
        "random-tokens-among-the-masked",
        find=MASKED,
        replace=f"""\
{MASKED}
    fate = torch.rand(shape, generator=generator, device=device) + 0.4""",
        says="You draw random tokens among all that were chosen, so they take the place of masked ones "
        "(half of all chosen, for example: 40 % masked, 50 % random, 10 % as they were). Draw them among "
        "those that are not masked.",
    ),
    Mistake(
        "masks-what-was-not-chosen",
        find="chosen & (fate < 0.8)",
        replace="(fate < 0.8)",
        says="You mask 80 % of all tokens, not of the chosen ones: combine the draw with what was chosen.",
    ),
    Mistake(
        "special-ignored",
        find="""\
    if special is not None:
        chosen = chosen & ~special
""",
        replace="",
        says="You choose special tokens too. [CLS], [SEP] and padding are never chosen: take them out of "
        "what was drawn.",
    ),
    Mistake(
        "special-kept-only-in-the-labels",
        find="""\
    if special is not None:
        chosen = chosen & ~special
    labels = input_ids.masked_fill(~chosen, -100)
""",
        replace="""\
    labels = input_ids.masked_fill(~chosen if special is None else ~chosen | special, -100)
""",
        says="Special tokens have the label -100, but you mask and replace them in the inputs like others. "
        "They are never chosen: take them out of what was drawn before inputs and labels are made of it.",
    ),
    Mistake(
        "special-inverted",
        find="chosen & ~special",
        replace="chosen & special",
        says="You choose special tokens only: True in special means that a token is never chosen.",
    ),
    Mistake(
        "special-kept-only-in-the-inputs",
        find="    return inputs, labels",
        replace="    return inputs, labels if special is None else torch.where(drawn, input_ids, -100)",
        also=((CHOSEN, f"{CHOSEN}\n    drawn = chosen"),),
        says="You give labels to special tokens. Nothing at them is to be guessed: they are never chosen, so "
        "that their label is -100.",
    ),
    Mistake(
        "the-same-number-in-each-text",
        find=CHOSEN,
        replace="""\
    count = round(probability * shape[1])
    order = torch.rand(shape, generator=generator, device=device).argsort(dim=1).argsort(dim=1)
    chosen = order < count""",
        says="How many tokens you choose is fixed: a share of the text's length, for example, or of those "
        "that may be chosen, rounded. Each token is chosen on its own, so the number varies from call to "
        "call.",
    ),
    Mistake(
        "the-same-number-in-each-text-special-last",
        find=CHOSEN,
        replace="""\
    count = round(probability * shape[1])
    order = torch.rand(shape, generator=generator, device=device)
    order = order if special is None else order.masked_fill(special, 2.0)
    chosen = order.argsort(dim=1).argsort(dim=1) < count""",
        says="You choose the same number of tokens in each text, counted from its whole length: beside "
        "special tokens the others are chosen too often. Each token is chosen on its own, with probability, "
        "so the number varies.",
    ),
    Mistake(
        "the-same-places-in-all-texts",
        find=CHOSEN,
        replace="""\
    chosen = (torch.rand(shape[1:], generator=generator, device=device) < probability).expand(shape)""",
        says="You choose the same places in all texts of the batch. Draw for each token: the shape of the "
        "draw is that of input_ids.",
    ),
    Mistake(
        "one-fate-for-all",
        find=FATE,
        replace="    fate = torch.rand((shape[0], 1), generator=generator, device=device).expand(shape)",
        says="You draw once per text what becomes of its chosen tokens. Draw for each of them.",
    ),
    Mistake(
        "one-random-token-for-all",
        find=OTHERS,
        replace=OTHERS.replace("shape,", "(1, 1),"),
        says="You draw one random token, and put it wherever one is needed. Draw one for each place.",
    ),
    Mistake(
        "one-random-token-for-each-text",
        find=OTHERS,
        replace=OTHERS.replace("shape,", "(shape[0], 1),"),
        says="You draw one random token for each text, and put it wherever one is needed there. Draw one for "
        "each token that needs one.",
    ),
    Mistake(
        "random-tokens-the-same-in-all-texts",
        find=OTHERS,
        replace=OTHERS.replace("shape,", "shape[1:],"),
        says="You draw the random tokens for one text, and all texts of the batch get the same ones at the "
        "same places. Draw them in the shape of input_ids.",
    ),
    Mistake(
        "last-token-never-drawn",
        find="torch.randint(vocab_size,",
        replace="torch.randint(vocab_size - 1,",
        says="The last token of the vocabulary is never drawn: the end of torch.randint is exclusive "
        "already.",
    ),
    Mistake(
        "first-token-never-drawn",
        find="torch.randint(vocab_size,",
        replace="torch.randint(1, vocab_size,",
        says="Token 0 is never drawn as a random token. Asked for is the whole vocabulary, from 0.",
    ),
    Mistake(
        "probability-ignored",
        find="< probability",
        replace="< 0.15",
        says="You choose 15 % whatever probability says.",
    ),
    Mistake(
        "chooses-the-others",
        find="< probability",
        replace="> probability",
        says="You choose with 1 - probability: a number from torch.rand is below p with probability p.",
    ),
    Mistake(
        "random-tokens-without-the-generator",
        find=OTHERS,
        replace=OTHERS.replace(" generator=generator,", ""),
        says="You draw (the random tokens, for example) from PyTorch's default generator. All draws come "
        "from `generator`: otherwise the same seed does not give the same batch.",
    ),
    Mistake(
        "generator-ignored",
        find="    shape, device = input_ids.shape, input_ids.device",
        replace="    generator, shape, device = None, input_ids.shape, input_ids.device",
        says="You draw from PyTorch's default generator, whatever generator you get: pass it to each draw.",
    ),
    Mistake(
        "writes-to-the-tokens",
        find=MASKED,
        replace="    inputs = input_ids.masked_fill_(chosen & (fate < 0.8), mask_id)",
        says="You mask the caller's tokens in place. Work on a copy: the next epoch masks anew.",
    ),
    Mistake(
        "labels-in-int64",
        find=LABELS,
        replace="    labels = input_ids.long().masked_fill(~chosen, -100)",
        says="Your labels are int64 whatever the tokens are. Both results keep the dtype of input_ids.",
    ),
    Mistake(
        "results-in-int64",
        find=LABELS,
        replace="    input_ids = input_ids.long()\n" + LABELS,
        says="Your results are int64 whatever the tokens are. Both keep the dtype of input_ids.",
    ),
    Mistake(
        "a-new-generator-each-time",
        find="    shape, device = input_ids.shape, input_ids.device",
        replace="    shape, device = input_ids.shape, input_ids.device\n"
        "    generator = torch.Generator(device) if generator is None else generator",
        says="Where you get no generator you make a new one, which always begins with the same seed: every "
        "batch is masked alike. None is PyTorch's default generator; pass it on as it is.",
    ),
    Mistake(
        "source-never-moved-on",
        find="    shape, device = input_ids.shape, input_ids.device",
        replace="    shape, device = input_ids.shape, input_ids.device\n"
        "    source = torch.default_generator if generator is None else generator\n"
        "    generator = torch.Generator(device).manual_seed(source.initial_seed())",
        says="Drawing does not move your source on, neither the generator nor PyTorch's default one: every "
        "call masks alike. For example, each makes a generator of its own from the seed or the state of the "
        "one it has, as a key of JAX is used. Draw with that one itself.",
    ),
    Mistake(
        "masks-the-caller's-tokens",
        find=MASKED,
        replace="    inputs = input_ids.masked_fill_(chosen & (fate < 0.8), mask_id)",
        also=(
            (
                "    inputs = torch.where(chosen & (fate >= 0.9), others, inputs)",
                "    places = chosen & (fate >= 0.9)\n    inputs[places] = others[places]",
            ),
        ),
        says="You mask the caller's tokens in place. Work on a copy: the next epoch masks anew.",
    ),
    Mistake(
        "draws-on-the-default-device",
        find=CHOSEN,
        replace=CHOSEN.replace(", device=device", ""),
        says="You draw on the default device. Pass device=input_ids.device: what is drawn meets the tokens.",
    ),
]
