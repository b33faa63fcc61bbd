"""What the checks of whole layers and models share: oracles, silent parts, devices, partial comparison."""

import pytest
import torch
from torch import nn

from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess
from grader.kit import Submission, assert_close, assert_same_gradients
from grader.kit.families.models.built_in import (
    bert_embeddings,
    decoder_layer,
    encoder,
    encoder_layer,
    randomize_but,
)
from grader.kit.generators import Rng
from grader.kit.outcomes import CheckFailed
from grader.kit.rules.devices import assert_keeps_device

TEXT = """
import torch
from torch import nn

def here(ids): return ids + torch.arange(ids.shape[1], device=ids.device)
def elsewhere(ids): return ids + torch.arange(ids.shape[1])
def indexed_from_elsewhere(ids): return torch.arange(9, device=ids.device)[torch.arange(ids.shape[1])]
def moved(ids): return ids + torch.arange(ids.shape[1]).to(ids.device)
def read_there(ids):
    return ids + int(torch.arange(ids.shape[1]).max())
def read_and_met(ids):
    places = torch.arange(ids.shape[1])
    return ids + places if bool((places < 9).all()) else places + ids
def made_elsewhere(ids): return torch.zeros(3)

class Table(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.one = nn.Linear(size, size)
        self.o_proj = nn.Linear(size, size)
    def forward(self, ids): return self.one.weight[ids], torch.arange(len(ids))

def parts(x): return torch.cat([x[:1], -x[1:]]), x.sum(0)
"""


@pytest.fixture(scope="module")
def answer() -> Submission:
    return Submission(InProcess(Program(TEXT, "answer.py", "answer")))


def own_names(module: nn.Module) -> dict[str, torch.Tensor]:
    """The weights of a layer of PyTorch's under the names that answers have."""
    weights = dict(module.named_parameters())
    for theirs, own in (("self_attn", "self_attn."), ("multihead_attn", "cross_attn.")):
        for kind in ("weight", "bias"):
            if f"{theirs}.in_proj_{kind}" in weights:
                parts = weights.pop(f"{theirs}.in_proj_{kind}").chunk(3)
                weights |= {f"{own}{name}_proj.{kind}": part for name, part in zip("qkv", parts, strict=True)}
                weights[f"{own}o_proj.{kind}"] = weights.pop(f"{theirs}.out_proj.{kind}")
    for theirs, own in (("linear1", "up_proj"), ("linear2", "down_proj")):
        weights |= {f"{own}.{kind}": weights.pop(f"{theirs}.{kind}") for kind in ("weight", "bias")}
    return weights


@pytest.mark.parametrize("norm_first", [False, True])
def test_layers_are_the_built_in_ones(norm_first: bool) -> None:
    rng = Rng("layers")
    sizes, shared = (12, 3, 7), {"activation": "gelu", "norm_first": norm_first}
    kind = {**shared, "dropout": 0.0, "batch_first": True}
    x, memory = rng.normal(2, 5, 12, dtype=torch.float32), rng.normal(2, 4, 12, dtype=torch.float32)
    mask = rng.mask(2, 1, 1, 4)
    options = {**shared, "num_heads": 3}

    layer = nn.TransformerDecoderLayer(*sizes, **kind)
    expected = layer(x, memory, memory_key_padding_mask=~mask[:, 0, 0])
    torch.testing.assert_close(decoder_layer(own_names(layer), x, memory, None, mask, **options), expected)

    layer = nn.TransformerEncoderLayer(*sizes, **kind)
    weights = {name.removeprefix("self_attn."): value for name, value in own_names(layer).items()}
    expected = layer(memory, src_key_padding_mask=~mask[:, 0, 0])
    torch.testing.assert_close(encoder_layer(weights, memory, mask, **options), expected)
    stacked = {f"layers.{i}.{name}": value for i in range(2) for name, value in weights.items()}
    expected = layer(expected, src_key_padding_mask=~mask[:, 0, 0])
    torch.testing.assert_close(encoder(stacked, memory, mask, num_layers=2, **options), expected)
    with_norm = stacked | {"norm.weight": torch.full((12,), 2.0), "norm.bias": torch.ones(12)}
    expected = 2 * nn.functional.layer_norm(expected, (12,)) + 1
    torch.testing.assert_close(encoder(with_norm, memory, mask, num_layers=2, **options), expected)


def test_embeddings_add_up() -> None:
    tables = {"word": [[9.0, 9], [2, 0]], "position": [[0.0, 0], [0, 4]], "token_type": [[1.0, 1]]}
    weights = {f"e.{name}_embeddings.weight": torch.tensor(rows) for name, rows in tables.items()}
    weights |= {"e.norm.weight": torch.ones(2), "e.norm.bias": torch.zeros(2)}
    came = bert_embeddings(weights, torch.tensor([[1]]), past_length=1, eps=0.0, prefix="e.")
    torch.testing.assert_close(came, torch.tensor([[[-1.0, 1]]]))


def test_parts_can_be_silent(answer: Submission) -> None:
    weights = randomize_but(answer.Table(3), Rng("silent"), "o_proj")
    assert not weights["o_proj.weight"].any() and not weights["o_proj.bias"].any()
    assert weights["one.weight"].all() and weights["one.bias"].all()


def test_devices(answer: Submission) -> None:
    ids = torch.tensor([[1, 2]])
    assert_keeps_device(answer, "here", ids)
    assert_keeps_device(answer, "moved", ids)
    assert_keeps_device(answer, "read_there", ids)
    for name in ("read_and_met", "elsewhere", "indexed_from_elsewhere", "made_elsewhere"):
        with pytest.raises(CheckFailed, match="another default device"):
            assert_keeps_device(answer, name, ids)
    with pytest.raises(CheckFailed, match="another default device"):
        assert_keeps_device(answer, "Table", ids[0], made_with=(3,))


def test_some_places_of_several_results_count(answer: Submission) -> None:
    x, where = torch.ones(2, 3, dtype=torch.float64), torch.tensor([True, False])
    assert_close(answer.parts(x), (x, x.sum(0)), where=where)
    assert_same_gradients(answer.parts, lambda x: (x, x.sum(0)), x, where=where)
    with pytest.raises(CheckFailed, match="item 0"):
        assert_close(answer.parts(x), (x, x.sum(0)), where=~where)
    with pytest.raises(CheckFailed, match="item 1"):
        assert_close(answer.parts(x), (x, x.sum(0) + 1), where=where)
