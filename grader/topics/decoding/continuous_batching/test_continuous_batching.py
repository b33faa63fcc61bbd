"""Checks of `continuous_batching`: every step against a simulation that gives out one token at a time."""

import pytest

from grader.kit import assert_accepts, assert_equal, assert_raises, assert_true
from grader.kit.families.runs.simulated_steps import Simulation
from grader.kit.generators import Rng

LADDER = [(1, 1), (2, 1), (3, 2), (5, 2)]


def smallest(submission, rng, prompt_len, max_new_tokens):
    """a request alone gets its prompt in chunks and then one token a step"""
    assert_served(submission, (2, 1, 12), [("add", 4, prompt_len, max_new_tokens), *[("step",)] * 5])


def served(answer, config, events, kind="list"):
    """What each event gives: the plan of a step, None, or that it is refused. None if the limits are.

    Then all the rest is served: what waits on the class would be met by the next scheduler.
    """
    import contextlib

    try:
        scheduler, came = answer.Scheduler(*config), []
    except (ValueError, AssertionError):
        return None
    for name, *args in events:
        if name == "step":
            ended = {"list": list, "set": set, "tuple": tuple}[kind](args[0] if args else ())
            before = list(ended)
            plan = scheduler.step(ended) if args else scheduler.step()
            came.append("ended is changed" if list(ended) != before else [list(pair) for pair in plan])
            continue
        try:
            came.append(scheduler.add(*args))
        except (ValueError, AssertionError):
            came.append("refused")
    with contextlib.suppress(Exception):
        any(not scheduler.step() for _ in range(500))
    return came


def assert_served(submission, config, events, kind="list"):
    """Every event gives what it gives in the simulation."""
    simulation, steps = Simulation(*config), 0
    came = submission.run(served, config, events, kind)
    if came is None:
        assert_equal("refused", "accepted", what=f"Scheduler{tuple(config)}")
    for number, (name, *args) in enumerate(events):
        expected = getattr(simulation, name)(*args)
        steps += name == "step"
        what = f"step {steps}" if name == "step" else f"add{tuple(args)}"
        assert_equal(named(came[number]), named(expected), what=what)


def named(plan):
    """A plan with its numbers named for the messages."""
    if not isinstance(plan, list) or any(len(pair) != 2 for pair in plan):
        return plan
    return [{"id": number, "tokens": tokens} for number, tokens in plan]


def steps(count):
    return [("step",)] * count


@pytest.mark.parametrize("prompt_len, max_new_tokens", [(5, 3), (1, 1), (3, 1), (8, 2)])
def test_one_request(submission, prompt_len, max_new_tokens):
    """a request gets its prompt, whose last token gives the first new one, then one a step, and leaves"""
    assert_served(submission, (8, 4, 100), [("add", 7, prompt_len, max_new_tokens), *steps(5)])


@pytest.mark.parametrize("prompt_len", [9, 12, 13])
def test_long_prompts_in_chunks(submission, prompt_len):
    """a prompt longer than batch_tokens is computed in chunks over several steps"""
    assert_served(submission, (4, 2, 100), [("add", 0, prompt_len, 2), *steps(7)])


def test_prompts_share_a_step(submission):
    """several prompts are computed in one step, the last one as far as the budget goes"""
    events = [("add", number, 3, 4) for number in range(4)]
    assert_served(submission, (8, 5, 100), [*events, *steps(8)])


def test_running_requests_come_first(submission):
    """requests that write get their token before prompts get what is left of the budget"""
    events = [("add", 0, 2, 9), ("add", 1, 3, 9), ("step",), ("add", 2, 20, 3), *steps(6), ("add", 3, 9, 2)]
    assert_served(submission, (6, 4, 100), [*events, *steps(8)])


def test_admitted_while_others_run(submission):
    """a request is admitted as soon as there is room, also while others run"""
    events = [("add", 0, 2, 6), *steps(2), ("add", 1, 2, 3), *steps(2), ("add", 2, 1, 1), *steps(5)]
    assert_served(submission, (4, 3, 100), events)


def test_a_place_is_free_at_once(submission):
    """who has all tokens leaves before others are admitted, in the same step"""
    events = [("add", 0, 2, 2), ("add", 1, 2, 3), ("add", 2, 2, 2), ("add", 3, 1, 1)]
    assert_served(submission, (8, 2, 100), [*events, *steps(7)])
    assert_served(submission, (8, 4, 8), [*events, *steps(7)])


@pytest.mark.parametrize("max_running", [1, 2, 3])
def test_no_more_than_max_running(submission, max_running):
    """no more than max_running requests run"""
    events = [("add", number, 1, number + 2) for number in range(5)]
    assert_served(submission, (9, max_running, 100), [*events, *steps(12)])


def test_everybody_writes(submission):
    """as many requests as batch_tokens run, and each gets its token in every step"""
    events = [("add", number, 1 + number % 2, 5) for number in range(5)]
    assert_served(submission, (4, 4, 100), [*events, *steps(9)])


@pytest.mark.parametrize("kv_tokens", [15, 16, 17])
def test_cache_is_reserved(submission, kv_tokens):
    """a request is admitted if what all running ones and it may come to fits, to the last token"""
    events = [("add", 0, 4, 4), ("add", 1, 3, 5), ("add", 2, 1, 1)]
    assert_served(submission, (16, 4, kv_tokens), [*events, *steps(9)])


def test_nobody_overtakes(submission):
    """where the first of the queue does not fit, nobody behind it is admitted"""
    events = [("add", 0, 6, 4), ("step",), ("add", 1, 8, 6), ("add", 2, 1, 1), ("add", 3, 2, 1)]
    assert_served(submission, (10, 4, 16), [*events, *steps(12)])


def test_reservations_are_given_back(submission):
    """what a request reserved is free when it leaves, so any number of requests are served in turn"""
    events = [("add", number, 3, 2) for number in range(6)]
    assert_served(submission, (5, 3, 11), [*events, *steps(10)])


@pytest.mark.parametrize("kind", ["list", "set", "tuple"])
def test_ended_requests_leave(submission, kind):
    """requests in ended leave before the step, with what they reserved; ended may be a list, set or tuple"""
    events = [("add", 5, 2, 20), ("add", 3, 2, 20), ("add", 4, 3, 20), *steps(2), ("step", [3]), ("step", [])]
    events += [("step", [5]), *steps(2), ("step", [4]), *steps(1)]
    assert_served(submission, (7, 2, 45), events, kind)


def test_ended_with_the_last_token(submission):
    """a request may end with the last token that it was allowed, or with its first one"""
    events = [("add", 0, 2, 2), ("add", 1, 2, 5), *steps(2), ("step", [0]), ("step", [1]), ("add", 2, 2, 3)]
    assert_served(submission, (4, 2, 20), [*events, ("step",), ("step", [2]), ("step",)])


def test_room_after_a_request_that_ended_with_its_last_token(submission):
    """what a request had reserved comes free once, though it is in ended and done"""
    ended = [("step", [0]), ("step", [1]), ("step",), ("step", [2]), ("step",)]
    events = [("add", 0, 2, 2), ("add", 1, 2, 5), *steps(2), ("add", 2, 2, 3), *ended]
    assert_served(submission, (4, 2, 11), events)


@pytest.mark.parametrize("kind", ["list", "set"])
def test_some_end_while_others_are_done(submission, kind):
    """in one step a request in ended and one that is done leave; ended is not modified"""
    events = [("add", 0, 2, 2), ("add", 1, 2, 5), ("add", 2, 2, 3), *steps(2), ("step", [1]), *steps(3)]
    assert_served(submission, (6, 2, 20), events, kind)
    # Some are both, before and behind one that is not done.
    events = [*[("add", each, 2, new) for each, new in enumerate((2, 5, 2, 4, 3, 3))], *steps(2)]
    assert_served(submission, (8, 4, 24), [*events, ("step", [0, 1, 2]), *steps(2), ("step", [3, 4])], kind)


def test_nothing_to_do(submission):
    """without requests a step is empty, before the first and after the last"""
    events = [*steps(2), ("add", 0, 1, 1), *steps(3), ("add", 1, 2, 1), *steps(2)]
    assert_served(submission, (3, 3, 9), events)


@pytest.mark.parametrize("batch_tokens, max_running", [(4, 0), (4, -1), (4, 5), (1, 2)])
def test_bad_max_running_raises(submission, batch_tokens, max_running):
    """max_running outside 1 … batch_tokens raises ValueError in the constructor"""
    assert_raises(submission.Scheduler, batch_tokens, max_running, 100)


def test_too_large_a_request_raises(submission):
    """add of a request that can never fit raises ValueError"""
    scheduler = assert_accepts(submission.Scheduler, 4, 4, 10)
    assert_raises(scheduler.add, 0, 8, 3)
    assert_raises(scheduler.add, 1, 11, 1)


def test_refused_requests_change_nothing(submission):
    """a refused add leaves no trace, its id none either; a request of exactly kv_tokens is served"""
    events = [("add", 0, 7, 4), ("add", 1, 6, 4), ("add", 2, 2, 9), ("step",)]
    events += [("add", 3, 10, 1), ("add", 4, 1, 1), ("add", 2, 2, 2)]
    assert_served(submission, (8, 3, 10), [*events, *steps(7)])


def drawn(rng, config, count):
    """Random arrivals, and some of those who wrote a token in the step before end."""
    simulation, events, number = Simulation(*config), [], 0
    for _ in range(count):
        for _ in range(int(rng.integers(0, 3, 1)) if number < count else 0):
            sizes = [int(rng.integers(1, most, 1)) for most in (14, 8)]
            events.append(("add", 100 - number, *sizes))
            number += 1
            simulation.add(*events[-1][1:])
        wrote = [each["id"] for each in simulation.running() if simulation.written(each) > 0]
        wrote = [each for each in wrote if float(rng.uniform(1)) < 0.15]
        events.append(("step", wrote) if wrote else ("step",))
        simulation.step(wrote)
    return events


@pytest.mark.parametrize("config", [(6, 4, 30), (9, 3, 60), (3, 3, 22)])
def test_many_requests(submission, rng, config):
    """steps with random arrivals, lengths and ends are right"""
    assert_served(submission, config, drawn(rng, config, 40))


def totals(answer, config, requests):
    """How many tokens each request gets until nothing is left, and the most in one step."""
    scheduler, sums, most = answer.Scheduler(*config), {}, 0
    for request in requests:
        sums[request[0]] = 0
        try:
            scheduler.add(*request)
        except (ValueError, AssertionError):
            sums[request[0]] = "refused"
    for _ in range(500):
        plan = list(scheduler.step())
        if not plan:
            break
        for number, tokens in plan:
            sums[number] += tokens
        most = max(most, sum(tokens for _, tokens in plan))
    return [[sums[request[0]] for request in requests], most]


def test_sums_over_a_run(submission, rng):
    """a request gets prompt_len + max_new_tokens - 1 tokens in all, and a step at most batch_tokens"""
    pairs = zip(rng.integers(1, 15, 20).tolist(), rng.integers(1, 9, 20).tolist(), strict=True)
    requests = [[number, *pair] for number, pair in enumerate(pairs)]
    sums = [prompt_len + max_new_tokens - 1 for _, prompt_len, max_new_tokens in requests]
    came, most = submission.run(totals, (7, 5, 40), requests)
    assert_equal(came, sums, what="tokens of each request")
    assert_equal(most, 7, what="tokens in the fullest step")


def kept(answer, config, events):
    """The plans of all steps, looked at behind the last, and whether a list is given twice."""
    scheduler = answer.Scheduler(*config)
    came = [(name, getattr(scheduler, name)(*args)) for name, *args in events]
    plans = [plan for name, plan in came if name == "step"]
    lists = [id(plan) for plan in plans if isinstance(plan, list)]
    return [[[list(pair) for pair in plan] for plan in plans], len(set(lists)) < len(lists)]


def test_plans_stay(submission):
    """the plan of an earlier step stays as it is, and each is a list of its own, also where they are equal"""
    config, events = (4, 2, 20), [("add", 7, 6, 7), ("add", 3, 1, 5), *steps(11)]
    simulation = Simulation(*config)
    expected = [getattr(simulation, name)(*args) for name, *args in events][2:]
    came, again = submission.run(kept, config, events)
    assert_equal([named(plan) for plan in came], [named(plan) for plan in expected], what="plan")
    message = "two steps give the same list: whoever changes one plan changes what they have kept of another"
    assert_true(not again, message, seen=again)


def by_turns(answer, configs, events):
    schedulers = [answer.Scheduler(*config) for config in configs]
    came = [[] for _ in configs]
    for number, (name, *args) in enumerate(events):
        for each, scheduler in enumerate(schedulers if number % 2 else reversed(schedulers)):
            result = getattr(scheduler, name)(*args)
            place = each if number % 2 else len(configs) - 1 - each
            came[place].append([list(pair) for pair in result] if name == "step" else result)
    return came


def test_schedulers_keep_apart(submission):
    """two schedulers with other limits, used by turns, plan what each alone plans"""
    configs, rng = [(4, 2, 30), (7, 5, 50)], Rng("by turns")
    events = [("add", number, *rng.integers(1, 9, 2).tolist()) for number in range(5)] + steps(9)
    simulations = [Simulation(*config) for config in configs]
    expected = [[getattr(each, name)(*args) for name, *args in events] for each in simulations]
    assert_equal(submission.run(by_turns, configs, events), expected)
