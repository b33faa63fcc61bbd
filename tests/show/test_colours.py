"""Both themes: what is drawn can be read."""

import re

import pytest
from rich.text import Text
from show.pixels import pixels

from grader.show import cards
from grader.show import figures as show
from grader.show.figures import picture as pictures
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
