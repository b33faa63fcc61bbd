"""Known wrong versions of `muon` that walk over the parameters twice, which an iterator does not allow."""

from grader.kit import Mistake
from grader.kit.families.iterator_mistakes import states_of_a_used_up_iterator

MADE = "[torch.zeros_like(param) for param in self.params]"
LOOP = "for param, buffer in zip(self.params, self.buffers, strict=True):"
CHECK = """\
        if any(param.dim() != 2 for param in self.params):
            raise ValueError("Muon is for matrices: vectors and others need another optimizer")
"""

MISTAKES = [
    Mistake(
        "iterator-used-up",
        find="self.params = list(params)",
        replace="self.params = params",
        also=(
            (CHECK, ""),
            ("self.buffers = [torch.zeros_like(param) for param in self.params]", "self.buffers: dict = {}"),
            (
                "for param, buffer in zip(self.params, self.buffers, strict=True):",
                "for param in self.params:\n"
                "            buffer = self.buffers.setdefault(param, torch.zeros_like(param))",
            ),
        ),
        says="You keep params as it comes. model.parameters() is an iterator: once walked over, it is empty, "
        "and steps do nothing. Make a list of it.",
    ),
    Mistake(
        "iterator-used-up-by-the-check",
        find="        self.params = list(params)\n",
        replace="",
        also=(
            ("for param in self.params):\n", "for param in params):\n"),
            ("        self.lr = lr\n", "        self.params = list(params)\n        self.lr = lr\n"),
        ),
        says="You walk over params twice, first to check the dimensions, for example. An iterator is empty "
        "the second time, so nothing is trained. Make a list of it before anything else.",
    ),
    # The first comes to what the check does that uses the iterator up.
    *states_of_a_used_up_iterator(MADE, LOOP, "buffer")[1:],
]
