"""Known wrong versions of `weight_init`: from which distribution the weights come."""

from grader.kit import Mistake

_LIMIT = "    limit = math.sqrt(6 / (fan_in + fan_out))"
_UNIFORM = "    return weight.uniform_(-limit, limit)"
_STD = "    std = math.sqrt(2 / fan_in)"
_NORMAL = "    return weight.normal_(0.0, std)"
_BERT = "        module.weight.normal_(0.0, std)"

MISTAKES = [
    Mistake(
        "xavier-with-fan-in-only",
        find=_LIMIT,
        replace="    limit = math.sqrt(6 / fan_in)",
        says="Your limit in xavier_uniform_ is sqrt(6 / fan_in): that is Kaiming's, for ReLU. Xavier's has "
        "both fans, sqrt(6 / (fan_in + fan_out)), a compromise between activations and gradients.",
    ),
    Mistake(
        "xavier-with-half-the-variance",
        find=_LIMIT,
        replace="    limit = math.sqrt(3 / (fan_in + fan_out))",
        says="Your weights in xavier_uniform_ have half the variance that they should have: a limit of "
        "sqrt(3 / (fan_in + fan_out)), for example. The variance is 2 / (fan_in + fan_out), and a uniform "
        "on ±limit has limit² / 3: sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-standard-deviation-as-limit",
        find=_LIMIT,
        replace="    limit = math.sqrt(2 / (fan_in + fan_out))",
        says="You take the standard deviation sqrt(2 / (fan_in + fan_out)) for the limit of the uniform "
        "distribution. One on ±limit has the variance limit² / 3, so the limit is sqrt(6 / (fan_in + "
        "fan_out)).",
    ),
    Mistake(
        "xavier-without-the-root",
        find=_LIMIT,
        replace="    limit = 6 / (fan_in + fan_out)",
        says="Your limit in xavier_uniform_ is 6 / (fan_in + fan_out), without the square root. 2 / (fan_in "
        "+ fan_out) is the variance; the limit is as large as the weights, so it is a root.",
    ),
    Mistake(
        "xavier-without-brackets",
        find=_LIMIT,
        replace="    limit = math.sqrt(6 / fan_in + fan_out)",
        says="Your limit in xavier_uniform_ is sqrt(6 / fan_in + fan_out), far too large: the sum lacks its "
        "brackets. It is sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-with-relu-gain",
        find=_LIMIT,
        replace="    limit = math.sqrt(2) * math.sqrt(6 / (fan_in + fan_out))",
        says="You multiply Xavier's limit by sqrt(2), the gain that makes up for ReLU (or take sqrt(12 / "
        "...)). Asked for is plain Xavier: sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-one-sided",
        find=_UNIFORM,
        replace="    return weight.uniform_(0, limit)",
        says="You draw Xavier's weights between 0 and the limit, so all of them are positive. The "
        "distribution is symmetric about 0: between -limit and limit. (rand() * 2 * limit - limit)",
    ),
    Mistake(
        "xavier-shifted-by-half",
        find=_UNIFORM,
        replace="    return weight.uniform_(-limit / 2, limit / 2)",
        says="Your weights in xavier_uniform_ lie between -limit / 2 and limit / 2: (rand() - 0.5) * limit, "
        "for example. The interval from -limit to limit is 2 * limit long.",
    ),
    Mistake(
        "xavier-normal",
        find=_UNIFORM,
        replace="    return weight.normal_(0.0, limit / math.sqrt(3))",
        says="You draw from a normal distribution in xavier_uniform_. Its standard deviation is Xavier's, "
        "but the uniform one was asked for: no weight lies outside ±sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-normal-with-the-limit",
        find=_UNIFORM,
        replace="    return weight.normal_(0.0, limit)",
        says="You draw from a normal distribution in xavier_uniform_ and take the limit for its standard "
        "deviation (randn instead of rand, perhaps). Draw evenly between -limit and limit.",
    ),
    Mistake(
        "kaiming-with-fan-out",
        find="    _, fan_in = weight.shape",
        replace="    fan_in, _ = weight.shape",
        says="You divide by fan_out in kaiming_normal_. A weight of nn.Linear is (fan_out, fan_in): what "
        "sums up in an output are the fan_in products of a row, so fan_in is weight.shape[1].",
    ),
    Mistake(
        "kaiming-without-gain",
        find=_STD,
        replace="    std = math.sqrt(1 / fan_in)",
        says="Your variance in kaiming_normal_ is 1 / fan_in, without the gain of ReLU. ReLU leaves half of "
        "the mean square, so the variance is 2 / fan_in.",
    ),
    Mistake(
        "kaiming-with-the-gain-twice",
        find=_STD,
        replace="    std = 2 / math.sqrt(fan_in)",
        says="Your standard deviation in kaiming_normal_ is 2 / sqrt(fan_in): the 2 stands outside of the "
        "root. The variance is 2 / fan_in, so the deviation is sqrt(2 / fan_in).",
    ),
    Mistake(
        "kaiming-with-both-fans",
        find="    _, fan_in = weight.shape",
        replace="    fan_in = sum(weight.shape)",
        says="Your variance in kaiming_normal_ is 2 / (fan_in + fan_out), which is Xavier's. Kaiming's has "
        "fan_in alone: 2 / fan_in.",
    ),
    Mistake(
        "kaiming-variance-as-deviation",
        find=_STD,
        replace="    std = 2 / fan_in",
        says="You give 2 / fan_in for the standard deviation in kaiming_normal_. It is the variance; "
        "normal_ takes (and randn is multiplied by) its square root.",
    ),
    Mistake(
        "kaiming-uniform",
        find=_NORMAL,
        replace="    return weight.uniform_(-math.sqrt(3) * std, math.sqrt(3) * std)",
        says="You draw from a uniform distribution in kaiming_normal_. Its standard deviation is right, but "
        "the normal one was asked for: normal_ or randn.",
    ),
    Mistake(
        "kaiming-uniform-within-one-deviation",
        find=_NORMAL,
        replace="    return weight.uniform_(-std, std)",
        says="You draw evenly between -std and std in kaiming_normal_. Asked for is the normal distribution "
        "of standard deviation sqrt(2 / fan_in): normal_ or randn.",
    ),
    Mistake(
        "kaiming-truncated",
        find=_NORMAL,
        replace="""\
    z = torch.randn_like(weight)
    while (z.abs() > 2).any():
        z = torch.where(z.abs() > 2, torch.randn_like(z), z)
    return weight.copy_(z * std)""",
        says="Weights beyond two standard deviations do not occur in kaiming_normal_. The normal "
        "distribution is not cut off here, which would also make its standard deviation smaller.",
    ),
    Mistake(
        "bert-ignores-std",
        find=_BERT,
        replace="        module.weight.normal_(0.0, 0.02)",
        says="You draw with 0.02 in init_bert_ whatever std is. It is the default only: use what was passed.",
    ),
    Mistake(
        "bert-std-as-variance",
        find=_BERT,
        replace="        module.weight.normal_(0.0, math.sqrt(std))",
        says="You take std for the variance in init_bert_ and draw with its root. It is the standard "
        "deviation: normal_(0, std), or randn times std.",
    ),
    Mistake(
        "bert-std-squared",
        find=_BERT,
        replace="        module.weight.normal_(0.0, std**2)",
        says="You draw with std² in init_bert_. That is the variance; what normal_ takes (and randn is "
        "multiplied by) is the standard deviation, std.",
    ),
    Mistake(
        "bert-truncated",
        find=_BERT,
        replace="""\
        z = torch.randn_like(module.weight)
        while (z.abs() > 2).any():
            z = torch.where(z.abs() > 2, torch.randn_like(z), z)
        module.weight.copy_(z * std)""",
        says="No weight lies beyond two standard deviations in init_bert_. BERT's own code cuts off there; "
        "here, as in most code for PyTorch, the normal distribution is not cut off, and keeps its deviation "
        "std.",
    ),
    Mistake(
        "bert-uniform",
        find=_BERT,
        replace="        module.weight.uniform_(-std, std)",
        says="You draw evenly between -std and std in init_bert_. Asked for is the normal distribution of "
        "standard deviation std.",
    ),
    Mistake(
        "bert-linear-with-xavier",
        find=_BERT,
        replace="""\
        if isinstance(module, nn.Linear):
            xavier_uniform_(module.weight)
        else:
            module.weight.normal_(0.0, std)""",
        says="You draw a linear layer's weight as Xavier's in init_bert_. BERT has one standard deviation "
        "for all, std, whatever the fans are.",
    ),
]
