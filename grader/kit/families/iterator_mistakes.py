"""Mistakes of optimizers that walk over an iterator twice, as model.parameters() gives one. `loop`: the line
of the solution that goes over self.params and what it keeps for them, strictly.
"""

from grader.kit.mistakes import Mistake


def _says(what: str) -> str:
    return (
        "You walk over params twice, and an iterator, as model.parameters() gives one, is empty the second "
        f"time: {what}. Make a list of it before anything else, and go over that."
    )


_UNEQUAL = _says("parameters and what you keep for them are not equally many, and a strict zip raises")


def _not_strict(loop: str) -> str:
    return loop.replace("strict=True", "strict=False")


def states_of_a_used_up_iterator(made: str, loop: str, state: str) -> list[Mistake]:
    """Parameters in a list, and no states. `made`: the expression that makes these from self.params; `state`:
    what a state is called in the loop.
    """
    id_ = "states-of-a-used-up-iterator"
    gone = made.replace("self.params", "params")
    states = loop.split(", ")[2]
    by_index = f"for number, param in enumerate(self.params):\n            {state} = {states}[number]"
    nothing = _says("what you keep for each parameter is missing, and step goes over none of them")
    missing = _says("what you keep for each parameter is missing where you ask for it")
    return [
        Mistake(id_, find=made, replace=gone, says=nothing, also=((loop, _not_strict(loop)),)),
        Mistake(f"{id_}-with-strict-zip", find=made, replace=gone, says=_UNEQUAL),
        Mistake(f"{id_}-by-index", find=made, replace=gone, says=missing, also=((loop, by_index),)),
    ]


def nothing_left_of_an_iterator(loop: str) -> list[Mistake]:
    """States, and no parameters."""
    id_ = "iterator-used-up-at-once"
    find, as_it_comes = "self.params = list(params)", "self.params = params"
    slack = ((loop, _not_strict(loop)),)
    nothing = _says("step and zero_grad find no parameters, and do nothing")
    return [
        Mistake(id_, find=find, replace=as_it_comes, says=nothing, also=slack),
        Mistake(f"{id_}-with-strict-zip", find=find, replace=as_it_comes, says=_UNEQUAL),
    ]
