"""Which names of the solution's values say something to the author of a source, who has never seen it."""

import ast

from grader.judge.trail.text.parsing import nodes_of, of_source


def is_known(name: str, source: str) -> bool:
    """Whether a value's name is not that of one inside of a helper, of what such a helper gives, or of a
    private attribute, which the source does not have.
    """
    functions, attributes = _names(source)
    function, _, own = name.rpartition(": ")
    called, is_call, _ = own.partition("()")
    helpers = {function} if function else set()
    if is_call:
        helpers.add(called)
    private = own.removeprefix("self.").partition("[")[0] if own.startswith("self._") else None
    return helpers <= functions and (private is None or private in attributes)


@of_source
def _names(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Of its functions, and of all attributes."""
    nodes = nodes_of(source)
    return (
        frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef)),
        frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute)),
    )
