"""What notebooks show: figures, traced tables, steps, mistakes, costs, questions and real models."""

import io
import re
import sys

import matplotlib.image
import numpy as np
import pytest
import torch
from rich.text import Text
from torch import Tensor, nn

from grader.curriculum.catalog import load_catalog
from grader.show import cards
from grader.show import figures as show
from grader.show.figures import picture as pictures
from grader.show.figures.models import load_models
from solutions.attention.gqa import GroupedQueryAttention

WHITE, DARK = (255, 255, 255), (17, 17, 17)


def luminance(colour: tuple[int, ...]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """As WCAG 2 defines it, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def pixels(picture: show.Picture) -> np.ndarray:
    data, _ = picture._repr_png_()
    return matplotlib.image.imread(io.BytesIO(data))


def texts(picture: show.Picture) -> list[str]:
    return [text.get_text() for axes in picture.figure.axes for text in axes.texts]


# Both themes


@pytest.mark.parametrize("colour", [pictures.INK, pictures.FAINT])
def test_text_on_figures_can_be_read(colour: str) -> None:
    assert contrast(rgb(colour), rgb(pictures.GROUND)) > 4.5


@pytest.mark.parametrize("colour", pictures.COLOURS[:6])
def test_lines_on_figures_can_be_seen(colour: str) -> None:
    assert contrast(rgb(colour), rgb(pictures.GROUND)) > 3


def test_text_on_cards_can_be_read() -> None:
    ground = tuple(cards.THEME.background_color)
    assert ground == rgb(pictures.GROUND)
    for number in range(8):
        assert contrast(tuple(cards.THEME.ansi_colors[number]), ground) > 4.5, number


def test_nothing_on_cards_is_paler() -> None:
    page = show.steps(GroupedQueryAttention.forward)._repr_html_()
    verdict = cards.text_card(
        Text("a file", style="bold").append("  dim", style="not bold dim")
    )._repr_html_()
    colours = set(re.findall(r"[^-]color: ?(#[0-9a-f]{6})", page + verdict))
    assert "#57606a" in colours
    assert min(contrast(rgb(colour), rgb(pictures.GROUND)) for colour in colours) > 4.5


def test_the_measure_of_contrast_tells() -> None:
    assert contrast(WHITE, (0, 0, 0)) == pytest.approx(21)
    assert contrast((128, 128, 128), WHITE) < 4.5


def test_pictures_have_a_ground_of_their_own() -> None:
    shown = pixels(show.bars({"a": 1}))
    assert (shown[0, 0, :3] * 255).round().astype(int).tolist() == list(rgb(pictures.GROUND))
    assert (shown[..., 3] == 1).all()


@pytest.mark.parametrize("card", [show.table(["a"], [["1"]]), show.steps(GroupedQueryAttention.forward)])
def test_whatever_sets_a_colour_sets_the_ground(card: show.Card) -> None:
    for style in re.findall(r'<(?:div|td|th|tr|pre)[^>]* style="([^"]*)"', card._repr_html_()):
        assert ("color:#1f2328" in style) <= ("background:" in style)


# Figures


def test_heatmap_has_a_number_in_each_cell() -> None:
    shown = show.heatmap([[0.25, 0.75], [1.0, -np.inf]], rows=["a", "b"], columns=["c", "d"], title="t")
    (axes,) = shown.figure.axes
    assert texts(shown) == ["0.25", "0.75", "1.00", "-inf"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["c", "d"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("key", "query", "t")


def test_heatmaps_of_several_matrices() -> None:
    shown = show.heatmap(torch.zeros(3, 2, 2, requires_grad=True), title=["a", "b", "c"])
    assert [axes.get_title() for axes in shown.figure.axes] == ["a", "b", "c"]
    assert len(texts(shown)) == 12


def test_heatmap_of_many_values_has_no_numbers() -> None:
    assert texts(show.heatmap(np.ones((40, 30)))) == []


def test_heatmap_draws_the_borders_of_tiles() -> None:
    plain, tiled = (show.heatmap(np.ones((4, 6)), blocks=blocks) for blocks in (None, (2, 3)))
    assert len(tiled.figure.axes[0].lines) == 2
    assert not np.array_equal(pixels(plain), pixels(tiled))


def test_heatmap_colours_both_signs_around_zero() -> None:
    (image,) = show.heatmap([[-1.0, 3.0]]).figure.axes[0].images
    assert (image.norm.vmin, image.norm.vmax) == (-3, 3)


def test_heatmap_refuses_what_is_no_matrix() -> None:
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        show.heatmap(torch.ones(3))


def test_heatmap_tells_hidden_from_small() -> None:
    shown = show.heatmap([[0.0, 1e-4], [0.25, 0.75]])
    assert texts(shown) == ["0", "0.00", "0.25", "0.75"]
    (image,) = shown.figure.axes[0].images
    assert image.get_array().mask.tolist() == [[True, False], [False, False]]
    assert texts(show.heatmap([[0.0, 2.0]])) == ["0", "2"]
    assert not show.heatmap([[0.0, 2.0]]).figure.axes[0].images[0].get_array().mask.any()
    assert texts(show.heatmap([[0.0, -0.5]])) == ["0.00", "-0.50"]
    assert texts(show.heatmap([[0.0, 0.5]], x="feature")) == ["0.00", "0.50"]
    assert texts(show.heatmap([[0.0, 0.5]], x="token", hidden=True)) == ["0", "0.50"]


def test_heatmaps_of_different_things_have_their_own_scales() -> None:
    pair = [[[0.2, 0.8]], [[-1.0, 3.0]]]
    for own, expected in ((False, [(-3, 3), (-3, 3)]), (True, [(0, 0.8 * 1.15), (-3, 3)])):
        images = [axes.images[0] for axes in show.heatmap(pair, own_scales=own).figure.axes]
        assert [(image.norm.vmin, image.norm.vmax) for image in images] == expected


@pytest.mark.parametrize(("panels", "turn"), [(1, 0), (4, 45)])
def test_labels_that_would_collide_are_turned(panels: int, turn: int) -> None:
    words = ["the", "cat", "sat", "on", "mats"]
    axes = show.heatmap(np.ones((panels, 5, 5)), columns=words).figure.axes[0]
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {turn}


def test_few_places_on_a_logarithmic_axis_are_the_ticks() -> None:
    (axes,) = show.lines([12, 24, 48], {"up": [1, 2, 3]}, x="n", y="m", log="x").figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["12", "24", "48"]
    assert axes.get_xticklabels(minor=True) == []


def test_lines_at_levels() -> None:
    (axes,) = show.lines([1, 2], {"up": [1, 2]}, x="n", y="m", levels={"limit": 1.5}).figure.axes
    assert set(axes.lines[1].get_ydata()) == {1.5}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["up", "limit"]


def test_lines() -> None:
    shown = show.lines([1, 2, 4], {"up": torch.tensor([1.0, 2, 3]), "down": [3, 2, 1]}, x="n", y="m", log="x")
    (axes,) = shown.figure.axes
    assert [line.get_label() for line in axes.lines] == ["up", "down"]
    assert axes.lines[0].get_ydata().tolist() == [1, 2, 3]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale()) == ("n", "m", "log")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["up", "down"]


def test_bars_lie_with_their_numbers() -> None:
    shown = show.bars({"a": 1, "b": torch.tensor(2.5)}, x="KiB")
    (axes,) = shown.figure.axes
    assert [bar.get_width() for bar in axes.patches] == [1, 2.5]
    assert texts(shown) == ["1", "2.5"]
    assert axes.get_xlabel() == "KiB"


def test_bars_on_a_logarithmic_axis_are_dots() -> None:
    shown = show.bars({"a": {"x": 10, "y": 1000}, "b": {"x": 100}}, log=True)
    (axes,) = shown.figure.axes
    assert (len(axes.patches), axes.get_xscale()) == (0, "log")
    assert [dots.get_xdata().tolist() for dots in axes.lines] == [[10, 100], [1000]]
    assert texts(shown) == ["10", "100", "1,000"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first name is read first


def test_stacked_bars_have_their_sum() -> None:
    shown = show.bars({"a": {"x": 1, "y": 2}, "b": {"x": 3}}, stacked=True, upright=True)
    heights = [(bar.get_y(), bar.get_height()) for bar in shown.figure.axes[0].patches]
    assert heights == [(0, 1), (0, 3), (1, 2), (3, 0)]
    assert texts(shown) == ["3", "3"]


def test_grouped_bars_stand_side_by_side() -> None:
    shown = show.bars({"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 4}}, upright=True)
    starts = [bar.get_x() for bar in shown.figure.axes[0].patches]
    assert len(set(starts)) == 4


def test_shared_heads_are_wired_to_their_group() -> None:
    shown = show.shared_heads({"grouped": (6, 2)})
    (axes,) = shown.figure.axes
    ends = [line.get_xdata()[1] for line in axes.lines]
    assert ends == [1, 1, 1, 4, 4, 4]
    assert [text.get_text() for text in axes.texts if text.get_position()[1] == 0] == ["0", "1"]


def test_tree_draws_an_edge_to_each_child() -> None:
    shown = show.tree([(None, "s", True), (0, "a", True), (0, "b", False), (1, "c", True)])
    assert len(shown.figure.axes[0].lines) == 3
    assert texts(shown) == ["s", "a", "b", "c"]


def test_arrows_and_contours_are_drawn() -> None:
    empty = pixels(show.canvas(width=4, height=4)[0])
    turned = show.arrows({"q": (1, 0), "turned": torch.tensor([0.0, 1.0])})
    assert "turned" in texts(turned)
    assert not np.array_equal(empty, pixels(turned))
    surface = show.contours(
        [0, 1], [0, 1, 2], np.arange(6).reshape(3, 2), x="w", y="b", paths={"p": [(0, 0)]}
    )
    assert len(surface.figure.axes[0].lines) == 1
    assert len(np.unique(pixels(surface).reshape(-1, 4), axis=0)) > 20


def test_a_picture_says_what_it_shows_and_how_large_it_is() -> None:
    shown = show.bars({"a": 1}, title="What it costs", width=5, height=2)
    data, metadata = shown._repr_png_()
    assert data.startswith(b"\x89PNG")
    assert metadata == {"width": 400, "height": 160, "alt": "What it costs"}
    assert pixels(shown).shape[:2] == (320, 800)
    assert repr(shown) == "<picture: What it costs>"


# Traces


def doubled(x: Tensor) -> Tensor:
    half = x[:, :2]
    return half * 2


def two_steps(x: Tensor, times: int) -> tuple[Tensor, int]:
    total = torch.zeros(3, 2)
    for _ in range(times):
        total = total + doubled(x)
    total.add_(1)
    return total, times


def test_trace_names_shapes_in_order() -> None:
    run = show.trace(doubled, torch.ones(3, 5), sizes={"batch": 3, "features": 5})
    assert [(made.name, made.shape, made.line) for made in run.made] == [
        ("x", (3, 5), "argument"),
        ("half", (3, 2), "half = x[:, :2]"),
        ("result", (3, 2), "return value"),
    ]
    assert "(3, 5) = (batch, features)  float32" in repr(run)
    assert "(3, 2) = (batch, 2)" in repr(run)


def test_trace_has_all_values_of_a_name_as_they_were() -> None:
    run = show.trace(two_steps, torch.ones(3, 5), 2)
    assert [value[0, 0].item() for value in run.all("total")] == [0, 2, 4, 5]  # the last is written in place
    assert run["total"][0, 0] == 5
    assert len(run.all("doubled: half")) == 2
    assert "half = x[:, :2]   # 2 times" in repr(run)
    assert run.result[1] == 2
    with pytest.raises(KeyError, match="nothing named weights was made; there are: x, total"):
        run["weights"]


def test_trace_sees_arrays() -> None:
    def shifted(x: np.ndarray) -> np.ndarray:
        x = x.copy()
        x -= x.max()
        return x

    run = show.trace(shifted, np.array([1.0, 3.0]))
    assert [value.tolist() for value in run.all("x")] == [[1, 3], [1, 3], [-2, 0]]
    assert run.made[0].dtype == "float64"


def test_trace_of_a_module_begins_with_its_parameters() -> None:
    torch.manual_seed(0)
    module = GroupedQueryAttention(12, 6, 2)
    x = torch.randn(2, 5, 12)
    run = show.trace(module, x)
    assert [made.name for made in run.made[:2]] == ["q_proj.weight", "q_proj.bias"]
    assert [key.shape[1] for key in run.all("key")] == [2, 6]
    assert torch.equal(run.result, module(x))
    assert run["weights"].sum(-1).allclose(torch.ones(2, 6, 5))
    assert not run["weights"].requires_grad and run.result.requires_grad


def test_trace_leaves_the_tracer_that_was_there() -> None:
    before = sys.gettrace()
    with pytest.raises(IndexError):
        show.trace(doubled, torch.ones(3))
    assert sys.gettrace() is before


def test_trace_refuses_sizes_that_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match="cannot be told apart"):
        show.trace(doubled, torch.ones(3, 5), sizes={"batch": 3, "heads": 3})


def test_trace_refuses_what_is_not_python() -> None:
    with pytest.raises(TypeError, match="not written in Python"):
        show.trace(torch.relu, torch.ones(3))


# Steps


class Sample:
    """Not to be shown."""

    def run(self, x: int) -> int:
        """Not to be shown
        either.
        """
        first = x + 1
        # The reason of the second.
        second = first * 2

        return second


def test_steps_without_reasons_is_the_body() -> None:
    text = show.steps(Sample.run).text
    assert "Not to be shown" not in text
    assert text.splitlines()[0] == "def run(self, x: int) -> int:"
    assert text.splitlines()[-1] == "    return second"
    assert "Not to be shown" not in show.steps(Sample).text


def test_steps_have_their_reasons_and_comments() -> None:
    card = show.steps(Sample.run, {"first =": "Add `one`.", "second =": "Double & go."})
    assert card.text == (
        "1. Add `one`.\n    first = x + 1\n\n"
        "2. Double & go.\n    # The reason of the second.\n    second = first * 2\n\n    return second"
    )
    assert "Double &amp; go." in card.html and ">one</code>" in card.html


def test_a_step_without_a_reason_is_left_out() -> None:
    text = show.steps(Sample.run, {"second =": "Double.", "return": ""}).text
    assert text == "1. Double.\n    # The reason of the second.\n    second = first * 2"


def test_a_step_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no line has the text 'third ='"):
        show.steps(Sample.run, {"third =": "?"})
    with pytest.raises(ValueError, match="no line below the one before has the text 'first ='"):
        show.steps(Sample.run, {"second =": "", "first =": "?"})


# Mistakes


def test_a_mistake_is_a_module_that_computes_something_else() -> None:
    torch.manual_seed(0)
    right = GroupedQueryAttention(12, 6, 3)
    wrong = show.mistake("gqa", "kv-heads-tiled")
    module = wrong.GroupedQueryAttention(12, 6, 3)
    module.load_state_dict(right.state_dict())
    x = torch.randn(1, 5, 12)
    assert not torch.allclose(module(x), right(x))
    assert "query head i" in wrong.says
    assert "-        key = key.repeat_interleave(groups, dim=1)" in repr(wrong)
    assert "+        key = key.repeat(1, groups, 1, 1)" in repr(wrong)
    assert "repeat(1, groups, 1, 1)" in repr(show.trace(module, x))  # its lines are known too


def test_an_unknown_mistake_is_named_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"gqa has no mistake 'tiled'; it has: .*kv-heads-tiled"):
        show.mistake("gqa", "tiled")


@pytest.mark.parametrize("topic", [topic.id for topic in load_catalog().topics])
def test_every_mistake_of_every_topic_can_be_shown(topic: str) -> None:
    for id_ in show.mistake_ids(topic):
        text = repr(show.mistake(topic, id_))
        assert "\n+" in text or "\n-" in text, id_


def test_a_mistake_is_rejected_by_the_grader() -> None:
    text = show.mistake("softmax", show.mistake_ids("softmax")[0]).graded().text
    assert re.search(r"\d+ of \d+ checks pass\nFAIL  ", text)


# Costs


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
    card = show.side_by_side([("parameters", "mn + n", 20, nn.Linear(4, 4)), ("FLOPs", "mn", 1000, 1500)])
    assert card.text.splitlines()[1:] == [
        "parameters  mn + n   20              20        equal",
        "FLOPs       mn       1,000           1,500     measured is 1.5 × the formula",
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
