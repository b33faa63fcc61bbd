"""Known wrong versions of `autograd` that wait for uses which this root does not come from."""

from grader.kit import Mistake

_LOOP = """\
        self.grad += 1.0
        # From the root back: when a Value's turn comes, all that use it have added their part.
        for node in reversed(order):
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
"""
_MADE = "    result._inputs = inputs\n"
_COUNTED = f"""\
{_MADE}\
    for source, _ in inputs:
        source._uses = getattr(source, "_uses", 0) + 1
"""
_ADDED_AT_ONCE = """\
        self.grad += 1.0
        came, ready = {}, [self]
        while ready:
            node = ready.pop()
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
                came[source] = came.get(source, 0) + 1
                if came[source] == source._uses:
                    ready.append(source)
"""
_APART = """\
        flow, came, ready = {self: 1.0}, {}, [self]
        while ready:
            node = ready.pop()
            node.grad += flow[node]
            for source, derivative in node._inputs:
                flow[source] = flow.get(source, 0.0) + derivative * flow[node]
                came[source] = came.get(source, 0) + 1
                if came[source] == source._uses:
                    ready.append(source)
"""
_LEAVES_APART = _APART.replace(
    "                came[source] =",
    """\
                if not source._inputs:
                    source.grad += derivative * flow[node]
                    continue
                came[source] =""",
)

MISTAKES = [
    Mistake(
        f"uses-counted-anywhere{ending}",
        find=_LOOP,
        replace=loop,
        also=((_MADE, _COUNTED),),
        says="A Value of yours hands on its grad when all that use it have added their part, and you count "
        "all uses there ever were. Of those that this root was not made from, none comes: its turn never "
        "comes then. Count within the graph of the root, or sort that topologically.",
    )
    for ending, loop in (
        ("", _LEAVES_APART),
        ("-grads-added-at-once", _ADDED_AT_ONCE),
        ("-leaves-wait-too", _APART),
    )
]
