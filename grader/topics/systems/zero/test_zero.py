"""Checks of `ZeroAdam`: steps against PyTorch's Adam, elements held and sent against the stages' table."""

import pytest
import torch

from grader.kit import assert_at_most, assert_close, assert_equal, assert_raises
from grader.kit.families.networks.collectives import Collectives
from grader.kit.families.networks.network import assert_ranks
from grader.kit.families.optimizers import adam_steps
from grader.kit.rounds import is_second_round

pytestmark = pytest.mark.forbid("optimizers")

stages = pytest.mark.parametrize("stage", [0, 1, 2, 3])
SHARDED = {"parameters": 3, "gradients": 2, "exp_avg": 1, "exp_avg_sq": 1}  # from this stage on


METHODS = ("all_reduce", "reduce_scatter", "all_gather")


def connected(submission, world_size, **signs):
    """A network, and the object in the worker for it."""
    network = Collectives(world_size, **signs)
    return network, network.connect(submission, "collectives", METHODS, ("sent",))


def zero_adam(submission, parameters, world_size, stage, collectives=None, **options):
    collectives = collectives or connected(submission, world_size)[1]
    return submission.ZeroAdam(parameters, world_size, stage, collectives, **options)


def trained(parameters, averages, **options):
    """The oracle: the parameters and Adam's two averages after one step for each averaged gradient."""
    return adam_steps(parameters, averages, **options)[-1]


def gradients_of(rng, steps, world_size, numel, dtype=torch.float64):
    """For each step the ranks' gradients; and the average of each step."""
    gradients = [[rng.normal(numel, dtype=dtype) for _ in range(world_size)] for _ in range(steps)]
    return gradients, [torch.stack(each).mean(0) for each in gradients]


def workload(submission, rng):
    zero = zero_adam(submission, rng.normal(4096), 4, 2)
    return zero.step.measure(gradients_of(rng, 1, 4, 4096)[0][0])


@stages
def test_equals_adam(submission, rng, stage):
    """all ranks have the parameters of torch.optim.Adam on the averaged gradients, remainder included"""
    # Shards of 2: the third rank has one element and padding, the last one nothing else.
    parameters, (gradients, averages) = rng.normal(5), gradients_of(rng, 2, 4, 5)
    options = {"lr": 0.3, "betas": (0.7, 0.9), "eps": 0.05}
    zero = zero_adam(submission, parameters, 4, stage, **options)
    zero.step(gradients[0])
    zero.step(gradients[1])
    assert_ranks(zero.full_parameters(), [trained(parameters, averages, **options)[0]] * 4)


@pytest.mark.parametrize("betas", [(0.0, 0.999999), (0.999999, 0.0)])
def test_betas_next_to_1(submission, rng, betas):
    """averages that begin next to 0 are corrected all the same; 149 elements, that are not contiguous"""
    parameters = rng.normal(149, 2)[:, 0]
    steps = int(rng.integers(12, 31, 1)) if is_second_round() else 3
    gradients = [list(rng.normal(149, 4).unbind(1)) for _ in range(steps)]
    averages = [torch.stack(each).mean(0) for each in gradients]
    zero = zero_adam(submission, parameters, 4, 3 if betas[0] else 1, lr=0.1, betas=betas)
    for each in gradients:
        zero.step(each)
    expected = trained(parameters.contiguous(), averages, lr=0.1, betas=betas)[0]
    assert_ranks(zero.full_parameters(), [expected] * 4)


def test_defaults(submission, rng):
    """the defaults are those of torch.optim.Adam, in float32, with parameters asked for after each step"""
    parameters = rng.normal(10, dtype=torch.float32)
    gradients, averages = gradients_of(rng, 2, 3, 10, dtype=torch.float32)
    for tensor in (*averages, *(each for step in gradients for each in step)):
        tensor[::2] *= 1e-8  # only beside such gradients does the default eps count
    zero = zero_adam(submission, parameters, 3, 3)
    for done in (1, 2):
        zero.step(gradients[done - 1])
        # The steps are small beside the parameters: they have to be right, not only their sum.
        expected = trained(parameters, averages[:done])[0]
        assert_ranks(zero.full_parameters(), [expected] * 3, absolute=1e-6)
    if is_second_round():  # before the first step
        for stage in (0, 1, 2, 3):
            network, collectives = connected(submission, 3)
            started = rng.normal(12)
            zero = zero_adam(submission, started, 3, stage, collectives)
            assert_ranks(zero.full_parameters(), [started] * 3)
            assert_equal(network.sent, 8 if stage == 3 else 0, what="elements sent in full_parameters")


def test_one_rank(submission, rng):
    """a single rank has everything"""
    parameters, (gradients, averages) = rng.normal(7), gradients_of(rng, 1, 1, 7)
    zero = zero_adam(submission, parameters, 1, 2, lr=0.1)
    zero.step(gradients[0])
    assert_close(zero.attribute("ranks")[0]["parameters"], trained(parameters, averages, lr=0.1)[0])


@stages
def test_elements_held(submission, rng, stage):
    """after a step and full_parameters each rank holds as many elements as the stage allows"""
    zero = zero_adam(submission, rng.normal(12), 3, stage)
    zero.step(gradients_of(rng, 1, 3, 12)[0][0])
    zero.full_parameters()
    expected = {name: 4 if stage >= first else 12 for name, first in SHARDED.items()}
    for rank, held in enumerate(zero.attribute("ranks")):
        assert_equal({name: held[name].numel() for name in expected}, expected, what=f"rank {rank}")


@pytest.mark.parametrize("stage, held", [(1, 2 * 1200 + 2 * 300), (3, 4 * 300)])
def test_nothing_else_is_kept(submission, rng, stage, held):
    """beside what the ranks hold, no tensors of that size are kept anywhere"""
    _, collectives = connected(submission, 4)
    came = submission.run(kept, collectives, stage, rng.normal(1200), gradients_of(rng, 1, 4, 1200)[0][0])
    cause = (
        "So a rank needs more memory than the stage promises. Usual causes are shards that are views, "
        "which keep the whole vector alive (clone them); gathered parameters, or the caller's tensors, in "
        "an attribute"
    )
    assert_at_most(came, 4 * held + 200, "elements kept, of all ranks together", cause=cause)


def kept(answer, collectives, stage, parameters, gradients):
    def alive():
        tensors = live_tensors()
        storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage() for tensor in tensors}
        elements = sum(storage.nbytes() for storage in storages.values()) // parameters.element_size()
        return elements, sum(tensor.numel() for tensor in tensors)

    before = alive()
    zero = answer.ZeroAdam(parameters, len(gradients), stage, collectives)
    zero.step(gradients)
    zero.full_parameters()
    # Views of one tensor count once, and a view of a larger tensor counts as what it shows.
    return min(after - earlier for after, earlier in zip(alive(), before, strict=True))


@pytest.mark.parametrize("stage, in_step, in_full", [(0, 16, 0), (1, 16, 0), (3, 8, 8), (2, 16, 0)])
def test_elements_sent(submission, rng, stage, in_step, in_full):
    """each rank sends as many elements as the stage's table says"""
    network, collectives = connected(submission, 3)
    zero = zero_adam(submission, rng.normal(12), 3, stage, collectives)
    assert_equal(network.sent, 0, what="elements sent when constructed")
    zero.step(gradients_of(rng, 1, 3, 12)[0][0])
    sent = network.sent
    # With an all-reduce stage 1 sends half as much again.
    assert_equal(in_step if (stage, sent) == (1, 24) else sent, in_step, what="elements sent in step")
    zero.full_parameters()
    assert_equal(network.sent - sent, in_full, what="elements sent in full_parameters")


@stages
def test_ranks_learn_through_collectives(submission, rng, stage):
    """a rank learns of the others by collectives alone: where these turn signs, what it has is turned"""
    parameters, (gradients, averages) = rng.normal(12), gradients_of(rng, 1, 3, 12)
    # Not in stages 0 and 1, where a gather may be half of an all-reduce.
    gather_sign = -1 if stage == 2 else 1
    _, collectives = connected(submission, 3, sign=-1, gather_sign=gather_sign)
    zero = zero_adam(submission, parameters, 3, stage, collectives, lr=0.1)
    zero.step(gradients[0])
    expected = trained(parameters, [-averages[0]], lr=0.1)[0]
    held = [each["parameters"] for each in zero.attribute("ranks")]
    if stage == 2:
        held = [of_the_others(whole, rank) for rank, whole in enumerate(held)]
        assert_ranks(held, [-of_the_others(expected, rank) for rank in range(3)])
    else:
        assert_ranks(held, list(expected.chunk(3)) if stage == 3 else [expected] * 3)


def test_stage_1_gathers_parameters(submission, rng):
    """in stage 1 the others' updated parameters come by all_gather: where it turns signs, they are turned"""
    parameters = rng.normal(12)
    zero = zero_adam(submission, parameters, 3, 1, connected(submission, 3, gather_sign=-1)[1])
    # Without gradients nothing else is turned, not even where a gather is half of an all-reduce.
    zero.step([torch.zeros(12, dtype=torch.float64)] * 3)
    held = [of_the_others(each["parameters"], rank) for rank, each in enumerate(zero.attribute("ranks"))]
    assert_ranks(held, [-of_the_others(parameters, rank) for rank in range(3)])


def of_the_others(whole, rank):
    """Without the chunk of the rank itself, which it need not get from anybody."""
    chunks = list(whole.chunk(3))
    return torch.cat(chunks[:rank] + chunks[rank + 1 :])


def test_moments(submission, rng):
    """rank i's exp_avg and exp_avg_sq are chunk i of Adam's running averages"""
    parameters, (gradients, averages) = rng.normal(12), gradients_of(rng, 1, 3, 12)
    zero = zero_adam(submission, parameters, 3, 1, betas=(0.7, 0.9))
    zero.step(gradients[0])
    _, exp_avg, exp_avg_sq = trained(parameters, averages, betas=(0.7, 0.9))
    ranks = zero.attribute("ranks")
    assert_ranks([held["exp_avg"] for held in ranks], list(exp_avg.chunk(3)), what="exp_avg")
    assert_ranks([held["exp_avg_sq"] for held in ranks], list(exp_avg_sq.chunk(3)), what="exp_avg_sq")


@stages
def test_gradients_of_zero(submission, rng, stage):
    """a step whose gradients are all 0 is a step: the moments decay, and the parameters still move"""
    parameters, (gradients, averages) = rng.normal(9), gradients_of(rng, 1, 3, 9)
    zeros = torch.zeros(9, dtype=torch.float64)
    zero = zero_adam(submission, parameters, 3, stage, lr=0.1)
    zero.step(gradients[0])
    zero.step([zeros] * 3)
    assert_ranks(zero.full_parameters(), [trained(parameters, [*averages, zeros], lr=0.1)[0]] * 3)


def test_instances_keep_apart(submission, rng):
    """two optimizers with other stages, sizes and rates, stepped by turns, give what each alone gives"""
    options = [{"lr": 0.3, "betas": (0.7, 0.9), "eps": 0.05}, {"lr": 0.1}]
    parameters = [rng.normal(9), rng.normal(9)]
    gradients, averages = zip(*(gradients_of(rng, 2, 3, 9) for _ in range(2)), strict=True)
    zeros = [
        zero_adam(submission, *each, stage, **chosen)
        for each, stage, chosen in zip(zip(parameters, (3, 3), strict=True), (0, 2), options, strict=True)
    ]
    for step in range(2):
        for zero, each in zip(zeros, gradients, strict=True):
            zero.step(each[step])
    for zero, start, average, chosen in zip(zeros, parameters, averages, options, strict=True):
        assert_ranks(zero.full_parameters(), [trained(start, average, **chosen)[0]] * 3)


@pytest.mark.parametrize("stage", [-1, 4])
def test_unknown_stages_raise(submission, rng, stage):
    """a stage outside 0 to 3 raises a ValueError"""
    assert_raises(submission.ZeroAdam, rng.normal(12), 3, stage, connected(submission, 3)[1])


@stages
def test_arguments_are_not_modified(submission, rng, stage):
    """the caller's parameters and gradients are not modified, those of the step before neither"""
    parameters, gradients = rng.normal(12), gradients_of(rng, 2, 3, 12)[0]
    _, collectives = connected(submission, 3)
    came = submission.run(arguments_after_two_steps, collectives, stage, parameters, gradients)
    assert_equal(came, (parameters, gradients))


def arguments_after_two_steps(answer, collectives, stage, parameters, gradients):
    zero = answer.ZeroAdam(parameters, len(gradients[0]), stage, collectives)
    zero.step(gradients[0])
    zero.step(gradients[1])
    return parameters, gradients
