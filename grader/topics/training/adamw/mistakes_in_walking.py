"""Known wrong versions of `adamw` that walk over the parameters twice, which an iterator does not allow."""

from grader.kit import Mistake
from grader.kit.families import iterator_mistakes

MADE = "[{} for _ in self.params]"
LOOP = "for param, state in zip(self.params, self.states, strict=True):"

MISTAKES = [
    Mistake(
        "iterator-used-up",
        find="self.params = list(params)",
        replace="self.params = params",
        also=(
            ("self.states: list[dict] = [{} for _ in self.params]", "self.states: dict = {}"),
            (
                "for param, state in zip(self.params, self.states, strict=True):",
                "for param in self.params:\n            state = self.states.setdefault(id(param), {})",
            ),
        ),
        says="You keep params as it comes. model.parameters() is an iterator: after the first walk it is "
        "used up, and every later step does nothing. Make a list of it.",
    ),
    *iterator_mistakes.nothing_left_of_an_iterator(LOOP),
    *iterator_mistakes.states_of_a_used_up_iterator(MADE, LOOP, "state"),
]
