"""A command and what it prints as a picture: an SVG of a terminal, the same for the same text."""

import io

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from grader.show.terminal.console import WIDTH

_THEME = TerminalTheme(
    background=(24, 26, 33),
    foreground=(214, 218, 226),
    normal=[
        (24, 26, 33),
        (240, 113, 120),
        (125, 199, 130),
        (229, 192, 103),
        (113, 168, 247),
        (198, 146, 233),
        (103, 200, 206),
        (214, 218, 226),
    ],
)

_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own, without its fonts from elsewhere: a README shows pictures without loading anything."""


def picture(command: str, printed: Text, name: str) -> str:
    """The SVG of a terminal in which `command` printed that; `name` tells its styles from other pictures'."""
    console = Console(
        file=io.StringIO(),
        record=True,
        width=WIDTH,
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
    )
    console.print(Text("$ ", style="bold green").append(command, style="not bold default"), highlight=False)
    console.print()
    console.print(printed, highlight=False, soft_wrap=True)
    return console.export_svg(title="", theme=_THEME, code_format=_FORMAT, unique_id=name)
