"""Known wrong versions of `alibi` that do not ask for the defaults, of dtype and of device."""

from grader.kit import Mistake

_SLOPES = """\
    slopes = 2.0 ** (-8 / closest * torch.arange(1, closest + 1{made}))
    # The slopes of twice as many heads: its second, fourth, … are there already.
    between = 2.0 ** (-4 / closest * torch.arange(1, 2 * closest, 2{made}))"""
_PLACES = """\
    query_positions = torch.arange(q_len{made}) + kv_len - q_len
    distances = (torch.arange(kv_len{made}) - query_positions[:, None]).abs()"""


def _made(slopes: str, places: str = "") -> dict:
    """The edits that give these options to whatever makes the slopes, and the places of the tokens."""
    return {
        "find": _SLOPES.format(made=""),
        "replace": _SLOPES.format(made=slopes),
        "also": ((_PLACES.format(made=""), _PLACES.format(made=places)),),
    }


MISTAKES = [
    Mistake(
        "always-float64",
        **_made(", dtype=torch.float64"),
        says="Your slopes and biases are float64 whatever the default dtype is: made of a NumPy array, for "
        "example, whose dtype torch.tensor keeps. They have the default dtype at the time of the call, as "
        "what torch.tensor makes of plain numbers does.",
    ),
    Mistake(
        "always-float64-on-the-cpu",
        **_made(', dtype=torch.float64, device="cpu"', ', device="cpu"'),
        says="Your slopes and biases are float64, and the slopes on the CPU, whatever the defaults are: "
        "torch.from_numpy keeps both of a NumPy array, for example. They have the default dtype and are on "
        "the default device, those at the time of the call, as what torch.arange makes.",
    ),
    Mistake(
        "always-on-the-cpu",
        **_made(', device="cpu"', ', device="cpu"'),
        says="Your slopes are on the CPU whatever the default device is. They and the biases are on the "
        "default device at the time of the call: give no device, and torch does it.",
    ),
    Mistake(
        "places-in-int16",
        find=_PLACES.format(made=""),
        replace=_PLACES.format(made=", dtype=torch.int16"),
        says="Your places or distances are int16, which ends at 32,767: longer texts raise or wrap. "
        "torch.arange gives int64, which has room for all.",
    ),
]
