"""Measured costs, and the table of models."""

import numpy as np
import pytest
import torch
from torch import nn

from grader.curriculum.catalog import load_catalog
from grader.show import figures as show
from grader.show.cards import prose
from grader.show.figures.models import load_models


def test_measured_costs() -> None:
    cost = show.measure(lambda a, b: torch.relu(a @ b), torch.ones(3, 5), torch.ones(5, 7))
    assert (cost.matmul_flops, cost.largest_tensor) == (2 * 3 * 5 * 7, 21)
    assert cost.calls == ("matmul", "relu")
    assert cost.value.tolist() == torch.full((3, 7), 5.0).tolist()


def test_measured_memory() -> None:
    cost = show.measure_memory(lambda: np.ones(1000).sum())
    assert cost.value == 1000
    assert 8000 <= cost.peak_bytes < 20000


def test_side_by_side() -> None:
    tenths = ("tenths", "n / 10", 0.3, 0.1 + 0.1 + 0.1)
    card = show.side_by_side(
        [("parameters", "mn + n", 20, nn.Linear(4, 4)), ("FLOPs", "mn", 1000, 1500), tenths]
    )
    assert card.text.splitlines()[1:] == [
        "parameters  mn + n   20              20        equal",
        "FLOPs       mn       1,000           1,500     measured is 1.5 × the formula",
        "tenths      n / 10   0.3             0.3       equal",
    ]


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (327680, "320 KiB"), (1.25 * 2**30, "1.25 GiB"), (2**41, "2 TiB")],
)
def test_bytes(count: float, text: str) -> None:
    assert show.bytes_text(count) == text


# What the files hold


def test_questions_are_folded_away() -> None:
    card = show.questions("gqa")
    asked = load_catalog()["gqa"].questions
    assert card.html.count("<details") == card.html.count("<summary") == len(asked)
    assert "<details open" not in card.html
    assert all(each.question in card.text for each in asked)
    assert "`" not in card.html


def test_sources_are_links() -> None:
    assert 'href="https://arxiv.org/abs/2305.13245"' in show.sources("gqa").html


def test_table_of_models_has_its_sources() -> None:
    card = show.models(
        ["llama-2-70b", "bert-base"], "attention", "num_kv_heads", "kv_bytes_per_token", "rope_theta"
    )
    assert card.text.splitlines()[1].split() == [
        "Llama",
        "2",
        "70B",
        "GQA",
        "8",
        "327,680",
        "bytes",
        "10,000",
    ]
    assert card.text.splitlines()[2].split() == ["BERT", "base", "MHA", "12", "–", "–"]
    assert 'href="https://arxiv.org/abs/2307.09288"' in card.html


def test_an_unknown_model_is_named_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"no model 'gpt-5'; there are: .*gpt-2"):
        show.model("gpt-5")


WIDER = {"gemma-7b", "palm-540b", "deepseek-v2", "deepseek-v3", "gemma-3-12b", "gpt-oss-20b", "kimi-k2"}


@pytest.mark.parametrize("id_", load_models())
def test_numbers_of_models_fit_together(id_: str) -> None:
    model = show.model(id_)
    assert all(source.startswith("https://") for source in model.sources) and model.sources
    assert model.num_heads % model.num_kv_heads == 0
    assert (model.position == "RoPE") >= (model.rope_theta is not None and model.kv_rank is None)
    wide = model.num_heads * model.head_dim
    assert wide == model.hidden_size or id_ in WIDER
    assert 0 <= model.window_layers < model.layers and (model.window is None) == (model.window_layers == 0)


@pytest.mark.parametrize(
    ("id_", "count"),
    [
        ("gpt-2", 36_864),
        ("llama-2-70b", 327_680),
        ("falcon-7b", 8_192),
        ("deepseek-v3", 70_272),
        ("t5-base", None),
    ],
)
def test_cache_of_a_token(id_: str, count: int | None) -> None:
    assert show.model(id_).kv_bytes_per_token == count


@pytest.mark.parametrize(
    ("id_", "count"), [("gpt-2", None), ("llama-3-8b", 128), ("deepseek-v2", 64), ("gpt-oss-20b", 64)]
)
def test_features_that_turn(id_: str, count: int | None) -> None:
    assert show.model(id_).rotary_dim == count


def test_prose_has_code_and_emphasis() -> None:
    page = prose("The *last* one of `a *b* c`, not 2 * n * m or n*m*k; *two words*.")
    assert "The <em>last</em> one" in page and "<em>two words</em>." in page
    assert "a *b* c</code>" in page and "2 * n * m or n*m*k" in page


def test_cards_show_the_same_in_a_terminal() -> None:
    card = show.table(["name", "value"], [["a<b", 1], ["long name", 22]], code=(1,))
    assert repr(card) == "name       value\na<b        1\nlong name  22"
    assert "a&lt;b" in card._repr_html_()
    with pytest.raises(ValueError, match="each row needs 2 cells"):
        show.table(["a", "b"], [["1"]])


def test_everything_that_is_exported_is_explained() -> None:
    exported = [value for name, value in vars(show).items() if callable(value) and name.islower()]
    assert len(exported) > 20
    assert [value.__name__ for value in exported if not value.__doc__] == []
