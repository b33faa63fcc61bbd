"""Figures of how things hang together: shared heads, trees, graphs, vectors in the plane."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.patches import FancyBboxPatch

from grader.show.figures.picture import COLOURS, FAINT, GRID, INK, Picture, blank, canvas, dress, numbers


def shared_heads(kinds: Mapping[str, tuple[int, int]], title: str = "") -> Picture:
    """Which query head reads which key/value head, for the (num_heads, num_kv_heads) of each kind."""
    figure = blank(2.6 * len(kinds), 2.3)
    for i, (name, (num_heads, num_kv_heads)) in enumerate(kinds.items()):
        axes = figure.add_subplot(1, len(kinds), i + 1)
        dress(axes, f"{name}\n{num_heads} query, {num_kv_heads} key/value")
        axes.axis("off")
        groups = num_heads // num_kv_heads
        for head in range(num_heads):
            shared = head // groups
            middle = shared * groups + (groups - 1) / 2
            colour = COLOURS[shared % len(COLOURS)]
            axes.plot([head, middle], [1, 0], color=colour, linewidth=1.2, zorder=1)
            _box(axes, head, 1, str(head), colour)
            if head % groups == 0:
                _box(axes, middle, 0, str(shared), colour)
        axes.set_xlim(-0.8, num_heads - 0.2)
        axes.set_ylim(-0.5, 1.5)
    figure.supylabel("key/value      query", color=FAINT, fontsize=9)
    said = ", ".join(f"{name}: {heads} on {shared}" for name, (heads, shared) in kinds.items())
    return Picture(figure, title or f"query heads on key/value heads: {said}")


def tree(
    nodes: Sequence[tuple[int | None, str, bool]], title: str = "", width: float = 8.0, height: float = 4.0
) -> Picture:
    """A tree that grows to the right: each node is (number of its parent or None, text, kept).

    What is not kept is drawn pale. A node's parent comes before it.
    """
    depths: list[int] = []
    for parent, _, _ in nodes:
        depths.append(0 if parent is None else depths[parent] + 1)
    columns = [[i for i, depth in enumerate(depths) if depth == d] for d in range(max(depths) + 1)]
    places = {
        node: (depth, (len(column) - 1) / 2 - row)
        for depth, column in enumerate(columns)
        for row, node in enumerate(column)
    }
    tallest = max(map(len, columns))
    spread = {depth: tallest / len(column) for depth, column in enumerate(columns)}
    picture, axes = canvas(title, width=width, height=height)
    axes.axis("off")
    for node, (parent, text, kept) in enumerate(nodes):
        at, up = places[node][0], places[node][1] * spread[places[node][0]]
        if parent is not None:
            start, start_up = places[parent][0], places[parent][1] * spread[places[parent][0]]
            axes.plot([start, at], [start_up, up], color=COLOURS[0] if kept else GRID, zorder=1)
        edge = COLOURS[0] if kept else GRID
        box = {"boxstyle": "round,pad=0.3", "facecolor": "#e3eef7" if kept else "#f3f3f0", "edgecolor": edge}
        ink = INK if kept else FAINT
        axes.text(at, up, text, ha="center", va="center", fontsize=9, color=ink, bbox=box)
    axes.margins(0.12)
    picture.says = title or f"a tree of {len(nodes)} nodes, {sum(kept for *_, kept in nodes)} of them kept"
    return picture


def graph(
    nodes: Mapping[str, tuple[str, Mapping[str, str]]],
    title: str = "",
    width: float = 9.0,
    height: float = 3.6,
) -> Picture:
    """A graph that grows to the right: by the name of each node its text, and what stands on the edges from
    the nodes that it is made from, which come before it.
    """
    depths: dict[str, int] = {}
    for name, (_, sources) in nodes.items():
        depths[name] = max((depths[source] + 1 for source in sources), default=0)
    columns = [[name for name in nodes if depths[name] == d] for d in range(max(depths.values()) + 1)]
    # Columns of every second step stand half a place lower, so that edges over two steps pass by nodes.
    places = {
        name: (float(depth), (len(column) - 1) / 2 - row - 0.35 * (depth % 2))
        for depth, column in enumerate(columns)
        for row, name in enumerate(column)
    }
    picture, axes = canvas(title, width=width, height=height)
    axes.axis("off")
    box = {"boxstyle": "round,pad=0.35", "facecolor": "#e3eef7", "edgecolor": COLOURS[0]}
    paper = {"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 1.0}
    for name, (text, sources) in nodes.items():
        x, y = places[name]
        for source, said in sources.items():
            start, up = places[source]
            axes.plot([start, x], [up, y], color=COLOURS[0], zorder=1)
            at = 0.45 * start + 0.55 * x, 0.45 * up + 0.55 * y
            label = axes.text(*at, said, fontsize=8, color=INK, bbox=paper, ha="center", va="center")
            label.set_in_layout(False)
        label = axes.text(x, y, text, ha="center", va="center", fontsize=9, color=INK, bbox=box, zorder=3)
        label.set_in_layout(False)
    axes.margins(0.08, 0.2)
    edges = sum(len(sources) for _, sources in nodes.values())
    picture.says = title or f"a graph of {len(nodes)} nodes and {edges} edges"
    return picture


def arrows(
    vectors: Mapping[str, Any],
    *,
    title: str = "",
    x: str = "first feature of the pair",
    y: str = "second feature",
    circle: bool = True,
    size: float = 4.0,
) -> Picture:
    """Vectors in the plane from the origin, named at their tips; `circle` draws the unit circle."""
    picture, axes = canvas(title, x=x, y=y, width=size, height=size)
    reach = 1.0
    for i, (name, vector) in enumerate(vectors.items()):
        right, up = numbers(vector)
        colour = COLOURS[i % len(COLOURS)]
        axes.annotate(
            "",
            xy=(right, up),
            xytext=(0, 0),
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.8},
        )
        axes.annotate(name, (right, up), xytext=(5, 5), textcoords="offset points", color=colour, fontsize=9)
        reach = max(reach, abs(float(right)), abs(float(up)))
    if circle:
        from matplotlib.patches import Circle

        axes.add_patch(Circle((0, 0), 1.0, fill=False, color=GRID))
    axes.set_xlim(-1.25 * reach, 1.25 * reach)
    axes.set_ylim(-1.25 * reach, 1.25 * reach)
    axes.set_aspect("equal")
    axes.grid(color=GRID, linewidth=0.6)
    picture.says = title or f"vectors: {', '.join(vectors)}"
    return picture


def _box(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    box = FancyBboxPatch((x - 0.28, y - 0.13), 0.56, 0.26, boxstyle="round,pad=0.06", color=colour, zorder=2)
    axes.add_patch(box)
    axes.text(x, y, text, ha="center", va="center", color="#ffffff", fontsize=9, zorder=3)
