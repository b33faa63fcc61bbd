"""Figures: what they draw."""

import numpy as np
import pytest
import torch
from show.pixels import pixels

from grader.show import figures as show


def texts(picture: show.Picture) -> list[str]:
    return [text.get_text() for axes in picture.figure.axes for text in axes.texts]


# Figures


def test_heatmap_has_a_number_in_each_cell() -> None:
    shown = show.heatmap([[0.25, 0.75], [1.0, -np.inf]], rows=["a", "b"], columns=["c", "d"], title="t")
    (axes,) = shown.figure.axes
    assert texts(shown) == ["0.25", "0.75", "1.00", "-inf"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["c", "d"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("key", "query", "t")


def test_heatmap_has_no_number_where_it_is_masked() -> None:
    values = np.array([[0.25, np.nan], [1.0, 0.5]])
    assert texts(show.heatmap(values)) == ["0.25", "nan", "1.00", "0.50"]
    assert texts(show.heatmap(np.ma.masked_invalid(values))) == ["0.25", "1.00", "0.50"]


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


def test_graph_draws_an_edge_from_each_source() -> None:
    shown = show.graph({"a": ("a", {}), "b": ("b", {}), "c": ("a * b", {"a": "2", "b": "3"})})
    assert len(shown.figure.axes[0].lines) == 2
    assert texts(shown) == ["a", "b", "2", "3", "a * b"]


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
