"""Known wrong versions of `sinusoidal`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "halves-side-by-side",
        find="torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)",
        replace="torch.cat((angles.sin(), angles.cos()), dim=-1)",
        says="You put all sines before all cosines. Here they alternate: column 2 i is the sine and column "
        "2 i + 1 the cosine of the same angle. (Some libraries do as you do; a model that is trained "
        "with one layout cannot use the other.)",
    ),
    Mistake(
        "sine-and-cosine-swapped",
        find="(angles.sin(), angles.cos())",
        replace="(angles.cos(), angles.sin())",
        says="Your even columns are cosines and your odd ones sines. The sine comes first: position 0 is "
        "0, 1, 0, 1, …",
    ),
    Mistake(
        "exponent-not-doubled",
        find="torch.arange(0, dim, 2) / dim",
        replace="torch.arange(dim // 2) / dim",
        says="Your exponent is i / dim, so the frequencies fall only to base^(-1/2). It is 2 i / dim for "
        "pair i: arange(0, dim, 2) / dim.",
    ),
    Mistake(
        "exponent-doubled-twice",
        find="torch.arange(0, dim, 2) / dim",
        replace="2 * torch.arange(0, dim, 2) / dim",
        says="Your exponent is 4 i / dim, twice too large: arange(0, dim, 2) is 2 i already. Pair i has the "
        "exponent 2 i / dim.",
    ),
    Mistake(
        "a-frequency-for-each-column",
        find="""\
    exponents = torch.arange(0, dim, 2) / dim  # (dim / 2)
    # From 1 radian per position down to nearly 1 / base: the fast pairs tell neighbours apart.
    frequencies = base**-exponents
    angles = positions * frequencies  # (seq_len, dim / 2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)""",
        replace="""\
    angles = positions * base ** -(torch.arange(dim) / dim)
    return torch.stack((angles[:, 0::2].sin(), angles[:, 1::2].cos()), dim=-1).flatten(-2)""",
        says="Each of your columns has a frequency of its own, base^(-column / dim). Columns 2 i and 2 i + "
        "1 are a pair: sine and cosine of the same angle, with the exponent 2 i / dim in both.",
    ),
    Mistake(
        "twice-the-column-as-exponent",
        find="""\
    exponents = torch.arange(0, dim, 2) / dim  # (dim / 2)
    # From 1 radian per position down to nearly 1 / base: the fast pairs tell neighbours apart.
    frequencies = base**-exponents
    angles = positions * frequencies  # (seq_len, dim / 2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)""",
        replace="""\
    angles = positions * base ** -(2 * torch.arange(dim) / dim)
    return torch.stack((angles[:, 0::2].sin(), angles[:, 1::2].cos()), dim=-1).flatten(-2)""",
        says="You take the number of the column for i, so the exponent is 2 * column / dim, and the two "
        "columns of a pair differ. i counts the pairs: columns 2 i and 2 i + 1 both have the exponent 2 i "
        "/ dim.",
    ),
    Mistake(
        "exponents-reach-one",
        find="torch.arange(0, dim, 2) / dim",
        replace="torch.linspace(0, 1, dim // 2)",
        says="Your exponents run from 0 to 1 inclusive, i / (dim / 2 - 1), as in the authors' own code. In "
        "the paper, and here, it is 2 i / dim: the last pair stops one step short of 1.",
    ),
    Mistake(
        "frequencies-rise",
        find="base**-exponents",
        replace="base**exponents",
        says="Your frequencies rise from 1 to nearly base: the sign of the exponent is missing. Pair i has "
        "base^(-2 i / dim), from 1 for the first pair down to nearly 1 / base.",
    ),
    Mistake(
        "base-ignored",
        find="base**-exponents",
        replace="10000.0**-exponents",
        says="You ignore `base` and always use 10000.",
    ),
    Mistake(
        "positions-from-one",
        find="torch.arange(seq_len).unsqueeze(1)",
        replace="torch.arange(1, seq_len + 1).unsqueeze(1)",
        says="Your positions begin at 1. They are 0 to seq_len - 1: the first row is 0, 1, 0, 1, …",
    ),
    Mistake(
        "float32-fixed",
        find="torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)",
        replace="torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).float()",
        says="Your encoding is float32 although the default dtype is another one at the time of the call. "
        "Use that one: integers divided give it, as does torch.get_default_dtype().",
    ),
    Mistake(
        "always-float64",
        find="torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)",
        replace="torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).double()",
        says="Your encoding is float64, and float32 weights plus float64 give float64. Compute in it if "
        "you like, but return the default dtype: torch.get_default_dtype().",
    ),
    Mistake(
        "table-of-other-defaults",
        find="def sinusoidal_encoding(",
        replace="@functools.cache\ndef sinusoidal_encoding(",
        also=(("import math\n", "import functools\nimport math\n"),),
        says="You hand out a table that an earlier call made (lru_cache, for example), although the default "
        "dtype or device is another one by now. Make it anew, or remember both with it.",
    ),
    Mistake(
        "rows-not-scaled",
        find=" * math.sqrt(self.hidden_size)  #",
        replace="  #",
        says="You add the encoding to the rows as they are. Multiply the rows by sqrt(hidden_size) first.",
    ),
    Mistake(
        "rows-divided",
        find=" * math.sqrt(self.hidden_size)  #",
        replace=" / math.sqrt(self.hidden_size)  #",
        says="You divide the rows by sqrt(hidden_size). They are multiplied by it: it is attention's "
        "scores that are divided by a root.",
    ),
    Mistake(
        "scaled-by-hidden-size",
        find=" * math.sqrt(self.hidden_size)  #",
        replace=" * self.hidden_size  #",
        says="You multiply the rows by hidden_size. The factor is its square root.",
    ),
    *(
        Mistake(
            f"rows-times-the-root-of-{name}",
            find=" * math.sqrt(self.hidden_size)  #",
            replace=f" * math.sqrt({size})  #",
            says=f"You multiply the rows by the square root of {what}. It is that of hidden_size, the length "
            "of a row.",
        )
        for name, size, what in (
            (
                "vocab-size",
                "self.token_embedding.weight.shape[0]",
                "vocab_size, the number of rows: weight.shape[0], for example",
            ),
            ("max-len", "len(self.encoding)", "max_len, the length of the table of positions"),
            ("the-sequence", "token_ids.shape[1]", "the number of tokens"),
        )
    ),
    Mistake(
        "encoding-scaled-too",
        find="""\
        rows = self.token_embedding(token_ids) * math.sqrt(self.hidden_size)  # (batch, seq, hidden_size)
        return rows + self.encoding[: token_ids.shape[1]]""",
        replace="""\
        rows = self.token_embedding(token_ids) + self.encoding[: token_ids.shape[1]]
        return rows * math.sqrt(self.hidden_size)""",
        says="You multiply the sum by sqrt(hidden_size). Only the rows are scaled, so scale before you add "
        "the encoding.",
    ),
    Mistake(
        "encoding-left-out",
        find="        return rows + self.encoding[: token_ids.shape[1]]",
        replace="        return rows",
        says="You give the scaled rows without the encoding of their positions. Add it: without it the "
        "order of the tokens makes no difference to attention.",
    ),
    Mistake(
        "position-is-the-place-in-the-batch",
        find="self.encoding[: token_ids.shape[1]]",
        replace="self.encoding[: token_ids.shape[0]].unsqueeze(1)",
        says="You give every sequence of the batch one position. That is right where the sequence is the "
        "first dimension; here token_ids is (batch, seq), so it is encoding[:seq], the same for every "
        "sequence.",
    ),
    Mistake(
        "whole-table-added",
        find="self.encoding[: token_ids.shape[1]]",
        replace="self.encoding",
        says="You add all max_len rows of the encoding, which fits only a sequence of that length (or "
        "gives one of that length). Take the first seq of them.",
    ),
    Mistake(
        "first-position-for-all",
        find="self.encoding[: token_ids.shape[1]]",
        replace="self.encoding[:1]",
        says="You add the encoding of position 0 to every token. The token at place m gets row m.",
    ),
    Mistake(
        "positions-from-one-in-the-embedding",
        find="""sinusoidal_encoding(max_len, hidden_size), persistent=False)""",
        replace="""sinusoidal_encoding(max_len + 1, hidden_size)[1:], persistent=False)""",
        says="Your embedding's positions begin at 1. The first token of a sequence gets row 0.",
    ),
    Mistake(
        "encoding-is-a-parameter",
        find='self.register_buffer("encoding", sinusoidal_encoding(max_len, hidden_size), persistent=False)',
        replace="self.encoding = nn.Parameter(sinusoidal_encoding(max_len, hidden_size))",
        says="Your encoding is a parameter, so it is counted among what is learned, and an optimizer changes "
        "it if it has a gradient. It is not learned: a buffer "
        "(register_buffer) moves with the module and has no gradient.",
    ),
    Mistake(
        "encoding-is-not-a-buffer",
        find='self.register_buffer("encoding", sinusoidal_encoding(max_len, hidden_size), persistent=False)',
        replace="self.encoding = sinusoidal_encoding(max_len, hidden_size)",
        says="Your encoding stays where it was made when the module moves to another device: the sum with "
        "the rows fails there. Make it a buffer (register_buffer), or move it to the rows in forward.",
    ),
    Mistake(
        "encoding-made-in-forward-by-the-defaults",
        find="        return rows + self.encoding[: token_ids.shape[1]]",
        replace="        return rows + sinusoidal_encoding(token_ids.shape[1], self.hidden_size)",
        says="You make the encoding in forward and leave it in the default dtype and on the default "
        "device, and the weights may have others. Bring it to the rows, .to(rows), or make it in the "
        "constructor, as a buffer.",
    ),
    Mistake(
        "encoding-kept-from-the-first-call",
        find="        return rows + self.encoding[: token_ids.shape[1]]",
        replace="""\
        if not hasattr(self, "table"):
            self.table = self.encoding.to(rows)
        return rows + self.table[: token_ids.shape[1]]""",
        says="You keep the encoding as it was at the first call, in an attribute. Once the module has got "
        "another dtype or device (module.float(), module.to(device)), it is still the old one: keep it in a "
        "buffer, or bring it to the rows in each call.",
    ),
    Mistake(
        "encoding-in-the-default-dtype",
        find="        return rows + self.encoding[: token_ids.shape[1]]",
        replace="        return rows + self.encoding[: token_ids.shape[1]].to(torch.get_default_dtype())",
        says="You add the encoding in the default dtype of the time of the call, and float32 rows plus a "
        "float64 encoding are float64. Bring it to the dtype of the rows.",
    ),
    Mistake(
        "rows-detached",
        find="        return rows + self",
        replace="        return rows.detach() + self",
        says="Your values are right, but you cut the graph (detach, .data and no_grad all do), so the "
        "embedding never learns.",
    ),
    *(
        Mistake(
            f"base-of-{base}-by-default",
            find="seq_len: int, dim: int, base: float = 10000.0",
            replace=f"seq_len: int, dim: int, base: float = {base}",
            says=f"Your base is {base} by default. It is 10000, with four zeros.",
        )
        for base in ("1000.0", "100000.0")
    ),
    Mistake(
        "table-remembered-by-its-size",
        find="def sinusoidal_encoding(",
        replace="""\
TABLES = {}


def sinusoidal_encoding(seq_len, dim, base=10000.0):
    if (seq_len, dim) not in TABLES:
        TABLES[seq_len, dim] = made(seq_len, dim, base)
    return TABLES[seq_len, dim]


def made(""",
        says="You remember a table by its size alone, so a call with another base (or under another "
        "default dtype) gets the earlier one. Make it anew, or remember all that it depends on.",
    ),
]
