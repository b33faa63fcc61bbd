"""Checks of `autograd`: operators, functions, reuse, order, sums over calls, depth, numbers of paths."""

import pytest
import torch

from grader.kit import assert_close, assert_numbers, assert_true
from grader.kit.comparison import difference
from grader.kit.rounds import is_second_round

A, B, C = 2.5, -1.7, 0.4


def run(answer, leaves, steps, roots):
    """Data and grads, by name, after backward of each root in turn."""
    names = {name: answer.Value(number) for name, number in leaves.items()}
    for name, text in steps:
        names[name] = eval(text, {"sum": sum}, names)
    for root in roots:
        names[root].backward()
    return {name: [float(value.data), float(value.grad)] for name, value in names.items()}


def expected(leaves, steps, roots):
    """The same by torch, in float64."""
    names = {name: torch.tensor(x, dtype=torch.float64, requires_grad=True) for name, x in leaves.items()}
    for name, text in steps:
        names[name] = eval(text, {"sum": sum}, names)
        names[name].retain_grad()
    for root in roots:
        names[root].backward(retain_graph=True)
    grads = {name: 0.0 if value.grad is None else float(value.grad) for name, value in names.items()}
    return {name: [float(value.detach()), grads[name]] for name, value in names.items()}


def flat(found):  # the numbers by what they are
    data = {f"{name}.data": numbers[0] for name, numbers in found.items()}
    return data | {f"{name}.grad": numbers[1] for name, numbers in found.items()}


def assert_right(submission, leaves, steps, roots=("out",)):
    steps = [("out", steps)] if isinstance(steps, str) else list(steps)
    came = submission.run(run, leaves, steps, list(roots))
    assert_numbers(flat(came), flat(expected(leaves, steps, roots)))


def assert_right_in_any_order(came, wanted):
    """They are the same. Where not, the numbers are no evidence: they may depend on the order in which an
    answer goes backwards, which in a set of Values is that of their addresses.
    """
    both = ({name: torch.tensor(v).double() for name, v in each.items()} for each in (came, wanted))
    told = difference(*both)
    assert_true(told is None, told or "", seen=told is None)


@pytest.mark.parametrize("text", ["a + b", "a - b", "a * b", "a / b", "-a", "a ** 3", "a ** -1", "a ** 0.5"])
def test_operators(submission, rng, text):
    """operators between Values: result and gradients"""
    assert_right(submission, {"a": rng.option(A, 0.01, 50.0), "b": -rng.option(-B, 0.01, 50.0)}, text)


@pytest.mark.parametrize("text", ["b ** 2", "b ** 3", "a ** -2.5", "a ** 1", "a ** 0"])
def test_powers(submission, rng, text):
    """powers by plain numbers, negative and fractional ones too"""
    assert_right(submission, {"a": A, "b": B}, text)
    if is_second_round():  # each of a Value of its own, so that no large one hides another
        whole, halves = [*range(-6, 10), -3.0, 0.0, 2.0, 5.0], [n / 2 for n in range(-9, 14, 2)]
        powers = [*whole, *halves, rng.option(0.5, 0.01, 9.0)]
        leaves = {f"v{n}": B if n < len(whole) else A for n in range(len(powers))}
        assert_right(submission, leaves, "+".join(f"v{n} ** {power}" for n, power in enumerate(powers)))


@pytest.mark.parametrize(
    "text", ["a + 2", "2 + a", "a - 2", "2 - a", "a * 3", "3 * a", "a / 4", "4 / a", "0.5 - a / 3"]
)
def test_plain_numbers_on_either_side(submission, rng, text):
    """plain numbers stand on either side of an operator"""
    n = rng.option(3, 1, 300)
    more = f" + {n} / a + (a - {n}) * {n}" if is_second_round() else ""
    assert_right(submission, {"a": rng.option(A, 0.01, 50.0)}, text + more)


def test_sum(submission):
    """sum() adds up a list of Values"""
    assert_right(submission, {"a": A, "b": B, "c": C}, "sum([a, b * c, a])")


@pytest.mark.parametrize("text", ["a.exp()", "b.exp()", "a.log()", "c.log()", "a.tanh()", "b.tanh()"])
def test_functions(submission, rng, text):
    """exp, log and tanh: result and gradient"""
    assert_right(submission, {"a": rng.option(A, 0.01, 50.0), "b": B, "c": rng.option(C, 0.01, 50.0)}, text)


@pytest.mark.parametrize(
    "text", ["a.log()", "b / a", "2 / a", "c.exp()", "d * b + d.tanh() - d / b", "0 / b - b * 0"]
)
def test_small_and_large_numbers(submission, text):
    """log and / of small numbers, exp of large ones and zeros are right: nothing is added, nothing cut"""
    assert_right(submission, {"a": 1e-6, "b": B, "c": 60.0, "d": 0.0}, text)


def test_relu(submission):
    """relu passes positive numbers and their gradients, and stops negative ones"""
    assert_right(submission, {"a": A, "b": B, "c": C}, "a.relu() * 3 + b.relu() * 5 + c.relu()")


def test_tanh_of_large_numbers(submission):
    """tanh does not overflow, whatever the size of its number"""
    numbers = {"a": 1e4, "b": -1e4, "c": 400.0, "d": -750.0}
    assert_right(submission, numbers, "sum([a.tanh(), 2 * b.tanh(), 4 * c.tanh(), 8 * d.tanh()])")


@pytest.mark.parametrize("text", ["a * a", "a + a", "a - a", "a / a", "a * b + a", "(a + b) * (a - b) / a"])
def test_reuse(submission, text):
    """a Value that is used several times gets the sum"""
    assert_right(submission, {"a": A, "b": B}, text)
    if is_second_round():  # two Values that are alike in all but who they are
        assert_right(submission, {"a": A, "b": B}, [("c", text), ("d", text), ("out", "c + 3 * d")])


CHAINS = {
    "late use first": {"c": "a * b", "d": "c * c", "out": "c + d"},
    "late use last": {"c": "a * b", "d": "c * c", "out": "d + c"},
    "deep and shallow": {"c": "a + b", "d": "c.tanh()", "e": "d * c", "f": "e.exp() + d", "out": "f * c"},
    "a long one": {
        "c": "a * b + b ** 3",
        "d": "c + 1 - a",
        "e": "d * 2 + (b + a).relu()",
        "f": "3 * e + (b - a).relu() - c / 7",
        "g": "(e - f) / 9 + c.tanh()",
        "out": "g ** 2 / 2 + 10.0 / f + (g / 30).exp()",
    },
}


@pytest.mark.parametrize("name", CHAINS)
def test_values_in_between(submission, name):
    """each Value in between has its gradient, and is handled after all that use it; the root has 1"""
    assert_right(submission, {"a": A, "b": B}, CHAINS[name].items())


def test_random_graphs(submission, rng):
    """graphs of twenty operations drawn at random have the gradients that torch gives"""
    names, steps = ["a", "b", "c"], []
    for number in range(20):
        one, other = (names[int(n)] for n in rng.integers(max(0, len(names) - 6), len(names), 2))
        forms = (f"{one} + {other}", f"{one} * {other}", f"{one} - {other} / 3", f"({one} * 0.5).tanh()")
        steps.append((f"v{number}", forms[int(rng.integers(0, 4, 1))]))
        names.append(f"v{number}")
    steps.append(("out", "sum([v17, v18, v19, (v16 * 0.1).tanh()])"))
    given = {"a": 0.5, "b": -0.8, "c": 0.3}, steps, ["out"]
    assert_right_in_any_order(flat(submission.run(run, *given)), flat(expected(*given)))


def test_leaf_as_root(submission):
    """backward of a leaf gives it 1, and others nothing"""
    assert_right(submission, {"a": A, "b": B}, "a * b", roots=["a"])


@pytest.mark.parametrize("root", ["d ** 2", "d * c + a"], ids=["of others", "of what others use"])
def test_what_is_not_used(submission, root):
    """backward leaves Values alone that the root was not made from, whatever they use"""
    steps = [("c", "a * b"), ("d", "a + b"), ("e", "c * 2 - a"), ("f", "d.exp()"), ("out", root)]
    assert_right(submission, {"a": A, "b": B}, steps)


def test_sums_over_calls(submission):
    """two results may share leaves: their gradients add up"""
    steps = [("one", "a * b"), ("two", "a ** 2 + b")]
    assert_right(submission, {"a": A, "b": B}, steps, roots=["one", "two"])
    assert_right(submission, {"a": A, "b": B}, steps, roots=["two", "one"])


TIMES = ((None, None), (None, None), (0.0, None), (0.0, (-3.0, 0.7)), (7.0, (0.5, 1.9)))
# What the grads of the leaves are set to, and the data of a and c, before each graph.
OF_LEAVES = (
    "a * b + (a * 2).tanh() * b + a.exp() + a.tanh() + a.relu() + a**2 + (a * a).log() + 2 / a + b / a"
    " + c.log() * (3 - c) - c**-1 * -c - c**0.5 + (c - a) * b / c"
)


def again(answer, numbers, times, form):
    """Gradients of new graphs over the same leaves: added up, from 0.0, and with other data."""
    a, b, c = leaves = [answer.Value(number) for number in numbers]
    grads = []
    for start, data in times:
        for leaf in leaves:
            leaf.grad = leaf.grad if start is None else start
        a.data, c.data = data or (a.data, c.data)
        result = eval(form, {"a": a, "b": b, "c": c})
        result.backward()
        grads += [float(result.data), *[float(leaf.grad) for leaf in leaves]]
    return grads


def expected_again(numbers, times, form):
    leaves, grads, came = dict(zip("abc", numbers, strict=True)), dict.fromkeys("abc", 0.0), []
    for start, data in times:
        leaves |= dict(zip("ac", data or (), strict=False))
        graph = expected(leaves, [("out", form)], ["out"])
        grads = {name: (grads[name] if start is None else start) + graph[name][1] for name in grads}
        came += [graph["out"][0], *grads.values()]
    return came


def test_leaves_are_used_again(submission):
    """grads are added to what is there, until somebody sets them; a leaf's data may be overwritten"""
    came = submission.run(again, [A, B, C], TIMES, OF_LEAVES)
    assert_right_in_any_order({"numbers": came}, {"numbers": expected_again([A, B, C], TIMES, OF_LEAVES)})


def kinds(answer, number):
    """Whether each result is a new Value with a grad of 0, and the operands what they were."""
    a, b = answer.Value(number), answer.Value(3.0)
    made = [a + 0, 0 + a, a * 1, a**1, a - 0, a / 1, -a, a.relu(), a + b, a * b, a.exp(), a.log(), a.tanh()]
    kept = a
    a += b
    return {
        "every result is a Value": all(isinstance(value, answer.Value) for value in made),
        "every result is a new one": all(value is not kept and value is not b for value in made),
        "grads are 0 at first": all(value.grad == 0 for value in [*made, kept, b]),
        "operands keep their numbers": kept.data == number and b.data == 3.0,
    }


def test_results_are_new(submission):
    """each operator and function gives a new Value with a grad of 0, and changes no old one"""
    for fact, holds in submission.run(kinds, A).items():
        assert_true(holds, f"not so: {fact}", seen=[fact, holds])


def doubled(answer, times, number):
    a = root = answer.Value(number)
    for _ in range(times):
        root = root + root
    root.backward()
    return [float(root.data), float(a.grad)]


def test_many_paths(submission):
    """60 doublings make 2**60 paths, and are done at once: each Value is handled once"""
    came = torch.tensor(submission.run(doubled, 60, 1.5)).double() / 2**60
    assert_close(came, torch.tensor([1.5, 1.0]).double())


def chained(answer, depth, form, number):
    a = root = answer.Value(number)
    for _ in range(depth):
        root = eval(form, {"root": root})
    root.backward()
    return [float(root.data), float(a.grad)]


@pytest.mark.parametrize("form", ["root * 1.001", "3 - root", "3 / root"])
def test_depth(submission, form):
    """a chain of 300 operations is not too deep, whichever they are"""
    grown = 1.001**300 if "*" in form else 1.0
    came = submission.run(chained, 300, form, 2.0)
    assert_close(torch.tensor(came).double(), torch.tensor([2 * grown, grown]).double())


def interleaved(answer, numbers):  # two graphs, built by turns, of which only the first goes backward
    a, b = (answer.Value(number) for number in numbers)
    one, two = a * a, b * b
    one, two = one + a, two * b
    one.backward()
    return [float(value.grad) for value in (a, b, one, two)]


def test_graphs_keep_apart(submission):
    """two graphs built by turns do not mix"""
    came = submission.run(interleaved, [A, B])
    assert_close(torch.tensor(came).double(), torch.tensor([2 * A + 1, 0.0, 1.0, 0.0]).double())


def libraries(answer):
    """The names of NumPy in the file, or in any function of it."""
    (answer.Value(1.0) + 1).backward()

    def of_numpy(value):
        code = getattr(value, "__code__", value)
        place = getattr(value, "__module__", None) or getattr(value, "__name__", "")
        names = [str(name) for name in (place, type(value).__module__, *getattr(code, "co_names", ()))]
        inner = [name for part in getattr(code, "co_consts", ()) for name in of_numpy(part)]
        return inner + [name for name in names if name.split(".")[0] == "numpy"]

    return [name for each in (answer, answer.Value) for own in vars(each).values() for name in of_numpy(own)]


def test_plain_python(submission):
    """NumPy is not used: plain Python and math are enough"""
    found = submission.run(libraries)
    assert_true(not found, f"it uses NumPy: {', '.join(found)}", seen=[len(found)])


def test_numbers(submission):
    """data is the number that was given, and math functions take it"""
    came = flat(submission.run(run, {"a": 3, "b": -2}, [("out", "a * b")], ["out"]))
    data, grads = {"a.data": 3.0, "b.data": -2.0, "out.data": -6.0}, {"a.grad": -2.0, "b.grad": 3.0}
    assert_numbers(came, data | grads)
