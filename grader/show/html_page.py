"""Pages that need nothing else: one file of HTML, for a phone and for the dark."""

import base64
import hashlib
from html import escape


def page(title: str, heading: str, style: str, body: str, script: str = "") -> str:
    """The whole page. `title` is plain text, the others are what they are: HTML, CSS, JavaScript.

    With a script the page allows that one, nothing else, and no address at all: whatever a name or a message
    was made to be, it neither runs nor calls.
    """
    head = code = ""
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        code = f"\n<script>{script}</script>"
    return _PAGE.format(head=head, title=escape(title), style=style, heading=heading, body=body, script=code)


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{head}<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{heading}</h1>
{body}
</main>{script}
</body>
</html>
"""


BASE_CSS = """\
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2128; --quiet: #59626e; --grid: #c3c9d1;
  --first: #2563a8; --second: #c2571a; --third: #7b4ba8; --good: #1b7a3d; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --ink: #e4e7eb; --quiet: #9aa4b1; --grid: #47505c;
    --first: #6cb0f5; --second: #f0975a; --third: #c49aec; --good: #6fcf8b; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h1 .quiet { font-size: 1rem; font-weight: normal; display: block; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 0; }
p { margin: 0 0 .5rem; }
.quiet, figcaption { color: var(--quiet); font-size: .875rem; }
"""
"""Colours, text, headings."""
