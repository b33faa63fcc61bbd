"""Known wrong versions of `continuous_batching` that give a place away too early, or share the queue."""

from grader.kit import Mistake

LEAVE = """\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
"""
WHILE = "        while self._waiting and budget > 0 and len(self._running) < self.max_running:\n"
ADMITTED = "            budget -= tokens\n        return plan\n"
DONE_LEAVE = (
    "        self._running = [each for each in self._running if each.generated < each.max_new_tokens]\n"
)

MISTAKES = [
    Mistake(
        "ended-until-one-is-gone",
        find=LEAVE,
        replace="""\
        self._running = [each for each in self._running if each.generated < each.max_new_tokens]
        by_id = {each.id: each for each in self._running}
        for each in ended:
            if each not in by_id:
                break
            self._running.remove(by_id[each])
""",
        says="Where an id in `ended` belongs to a request that has left anyway, with its last token, those "
        "behind it in `ended` stay: an exception about the first ends the loop, for example. Each is looked "
        "at on its own.",
    ),
    Mistake(
        "equal-plans-in-one-list",
        find="        return plan\n\n\ndef _advance",
        replace="""\
        if plan != self.__dict__.get("_last"):
            self._last = plan
        return self._last


def _advance""",
        says="While the same requests go on, each with a token, you give the very list of the step before "
        "again. Whoever sorts or empties one plan changes another that they have kept: make a new list in "
        "each step.",
    ),
    Mistake(
        "leaving-a-step-early",
        find=WHILE,
        replace=DONE_LEAVE + WHILE,
        also=((ADMITTED, f"            budget -= tokens\n    {DONE_LEAVE}        return plan\n"),),
        says="Your requests leave in the very step that plans their last token, so that others get their "
        "places and their reservations while they are still computed: a step has too many requests for "
        "max_running or for the cache. They leave at the beginning of the next step.",
    ),
    Mistake(
        "leaving-before-others-are-admitted",
        find=WHILE,
        replace=DONE_LEAVE + WHILE,
        says="A running request leaves in the very step that plans its last token, before others are "
        "admitted, so that these get its place and its reservation while it is still computed: a step has "
        "too many requests for max_running or for the cache. It leaves at the beginning of the next step.",
    ),
    Mistake(
        "queue-on-the-class",
        find="class Scheduler:\n",
        replace="_QUEUE: deque[_Request] = deque()\n\n\nclass Scheduler:\n",
        also=(("self._waiting: deque[_Request] = deque()", "self._waiting = _QUEUE"),),
        says="All your schedulers share one queue, on the class for example: one admits the requests that "
        "were added to another. Make the queue in __init__, on self.",
    ),
    Mistake(
        "every-step-generates-a-token",
        find="""\
    if request.computed == request.prompt_len:
        request.generated += 1
""",
        replace="    request.generated += 1\n",
        says="You count a generated token in every step of a request, also in those that compute only a part "
        "of its prompt. So a long prompt leaves too early. The first token comes with the step that computes "
        "the last prompt token.",
    ),
]
