"""Known wrong versions of `continuous_batching` that list by slots or by sets, or list too much."""

from grader.kit import Mistake

_START = "        plan, budget = [], self.batch_tokens\n"
_EMPTY = "        self._running: list[_Request] = []\n"
_RETURN = "            budget -= tokens\n        return plan\n"
_FIRST = "            request = self._waiting.popleft()\n"
_IN_A_SLOT = (
    _FIRST,
    _FIRST
    + """\
            taken = {each.slot for each in self._running}
            request.slot = min(set(range(self.max_running)) - taken)
""",
)
_SLOTS = (
    "in order of places, for example of numbered slots of which a newcomer takes the first that is free. It "
    "is the order of admission: whoever comes later stands behind, whichever place became free."
)

MISTAKES = [
    Mistake(
        "plan-in-order-of-slots",
        find=_RETURN,
        replace="""\
            budget -= tokens
        slots = {each.id: each.slot for each in self._running}
        return sorted(plan, key=lambda pair: slots[pair[0]])
""",
        also=(_IN_A_SLOT,),
        says=f"You list the running requests {_SLOTS}",
    ),
    Mistake(
        "running-in-order-of-slots",
        find=_START,
        replace="        self._running.sort(key=lambda each: each.slot)\n" + _START,
        also=(_IN_A_SLOT,),
        says=f"You go through the running requests {_SLOTS} In another order the budget need not last: one "
        "whose prompt is unfinished may take what those who write need.",
    ),
    Mistake(
        "one-list-for-all-steps",
        find=_START,
        replace="        plan, budget = self._plan, self.batch_tokens\n        plan.clear()\n",
        also=((_EMPTY, _EMPTY + "        self._plan = []\n"),),
        says="Every step gives the same list, filled anew, so the plans of earlier steps that somebody has "
        "kept are overwritten. Make a new list in each step.",
    ),
    Mistake(
        "plans-of-earlier-steps-kept",
        find=_START,
        replace="        plan, budget = self._plan, self.batch_tokens\n",
        also=((_EMPTY, _EMPTY + "        self._plan = []\n"),),
        says="Your list keeps what earlier steps had in it, so each step repeats them. It has the tokens of "
        "this step alone: make a new list in each.",
    ),
    *(
        Mistake(
            f"last-one-in-the-place-of-who-leaves{ending}",
            find="""\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
""",
            replace=f"""\
        running = self._running
        {start}
            request = running[place]
            if request.generated >= request.max_new_tokens or request.id in ended:
                running[place] = running[-1]
                running.pop()
{otherwise}""",
            says="You put the last of the running requests in the place of one that leaves, so they no "
            "longer stand in order of admission. Close the gap instead: those behind it move up. (In another "
            "order the budget need not last, either.)",
        )
        for ending, start, otherwise in (
            ("", "for place in reversed(range(len(running))):", ""),
            (
                "-from-the-first",
                "place = 0\n        while place < len(running):",
                "            else:\n                place += 1\n",
            ),
        )
    ),
    Mistake(
        "running-ones-in-a-set",
        find="""\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
""",
        replace="""\
        running = {each.id: each for each in self._running}
        done = {each.id for each in self._running if each.generated >= each.max_new_tokens} | {*ended}
        self._running = [running[id] for id in running.keys() - done]
""",
        says="You go through a set of those that stay (what `-` of a dict's keys gives is a set, too), and a "
        "set has no order: with small ids it often looks like the order of ids. They stand in order of "
        "admission: go through the list or the dict itself, and leave out who is done.",
    ),
    Mistake(
        "all-in-ended-keep-what-they-reserved",
        find="""\
        self._running = [
            request
            for request in self._running
            if request.generated""",
        replace="""\
        kept = sum(request.reserved for request in self._running if request.id in ended)
        self._kept = getattr(self, "_kept", 0) + kept
        self._running = [
            request
            for request in self._running
            if request.generated""",
        also=(
            (
                "            reserved = sum(request.reserved for request in self._running)\n",
                "            reserved = sum(request.reserved for request in self._running) + self._kept\n",
            ),
        ),
        says="What a request reserved is never given back where it leaves because it is in ended, even if "
        "that token was its last one anyway. It is free again whichever way a request leaves.",
    ),
]
