"""Known wrong versions of `autograd` that keep what flows by Values which are equal, not by the same ones."""

from grader.kit import Mistake

_SEEN = "            if node not in seen:\n                seen.add(node)\n"
_LOOP = """\
        self.grad += 1.0
        # From the root back: when a Value's turn comes, all that use it have added their part.
        for node in reversed(order):
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
"""
_FLOWS = """\
        flow = dict.fromkeys([node.data for node in order], 0.0)
        flow[self.data] = 1.0
        for node in reversed(order):
            node.grad += flow[node.data]
            for source, derivative in node._inputs:
                flow[source.data] += derivative * flow[node.data]
"""

MISTAKES = [
    Mistake(
        "alike-by-number-in-what-flows",
        find=_SEEN,
        replace=_SEEN.replace("node not in", "node.data not in").replace("(node)", "(node.data)"),
        also=((_LOOP, _FLOWS),),
        says="Two Values with the same number are one in your set and your dict (because they are equal and "
        "have the same hash, as those of a dataclass may, for example): one is left out, and the other gets "
        "its part. What counts is the object: compare by identity, or use id().",
    ),
]
