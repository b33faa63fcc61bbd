"""Makes the README's picture of the page: `PYTHONPATH=tests:. .venv/bin/python -m web.picture`."""

import tempfile
from pathlib import Path

from driving import PROJECT
from PIL import Image
from web.browser import chromium
from web.serving import Served

PICTURE = PROJECT / "docs" / "pictures" / "page.png"


def main() -> None:
    """The workbench after a mistake that everybody makes once."""
    source = (PROJECT / "solutions" / "attention" / "sdpa.py").read_text(encoding="utf-8")
    head, _, body = source.partition("\n    if scale is None:")
    answer = head[head.index("import math") :] + "\n    if scale is None:" + body
    answer = answer.replace("1 / math.sqrt(query.shape[-1])", "1.0")
    lines = [line for line in answer.split("\n") if not line.strip().startswith("#")]
    start = next(number for number, line in enumerate(lines) if line.strip().startswith('"""'))
    end = next(number for number, line in enumerate(lines) if number > start and line.strip() == '"""')
    del lines[start : end + 1]
    with tempfile.TemporaryDirectory() as name:
        served = Served(Path(name, "practice"))
        try:
            with chromium(Path(name, "profile"), 1280, 960) as browser:
                browser.go(served.addresses[-1])
                browser.reads("Today")
                browser.go(f"{served.base}/topic/sdpa")
                browser.until(lambda: browser.typed() is not None, "There is no editor.")
                browser.type_answer("\n".join(lines), then="enter")
                browser.reads("exactly those of this mistake")
                browser.picture(PICTURE)
                Image.open(PICTURE).convert("RGB").quantize(64).save(PICTURE, optimize=True)
        finally:
            served.end()


if __name__ == "__main__":
    main()
