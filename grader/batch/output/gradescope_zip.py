"""The archive that Gradescope builds an autograder from, after "Autograder Specifications" of its
documentation: `setup.sh` makes the image, `run_autograder` grades `/autograder/submission` into
`/autograder/results/results.json`.
"""

import io
import shlex
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import VERSION

_SETUP = """\
#!/usr/bin/env bash
# Makes the image: Python, byheart with PyTorch for CPUs, and bubblewrap.
set -euo pipefail
cd "$(dirname "$0")"
apt-get update
apt-get install -y --no-install-recommends python3-pip bubblewrap
PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install uv
uv venv --python 3.12 /autograder/venv
uv pip install --python /autograder/venv/bin/python --torch-backend=cpu {package}
"""

_RUN = """\
#!/usr/bin/env bash
# Grades one submission. Where it fails there are no results: Gradescope shows the teacher what it printed.
set -euo pipefail
cd "${{AUTOGRADER:-/autograder}}"
mkdir -p results
venv/bin/byheart grade submission --student submission {options} --out graded --fresh --for gradescope
cp graded/gradescope/submission.json results/results.json
"""


@dataclass(frozen=True)
class Autograder:
    """What is graded, and how: `points` is a file, `wheel` byheart itself, where it is not to be the
    published one.
    """

    topics: Sequence[str]
    isolate: bool = True
    points: Path | None = None
    wheel: Path | None = None

    def archive(self) -> bytes:
        """The whole archive; the same for the same content."""
        package = f"./{self.wheel.name}" if self.wheel else f"byheart=={VERSION}"
        options = " ".join(f"--topic {topic}" for topic in self.topics)
        options += " --isolate" if self.isolate else ""
        options += " --points source/points.toml" if self.points else ""
        files = {
            "setup.sh": _SETUP.format(package=shlex.quote(package)).encode(),
            "run_autograder": _RUN.format(options=options).encode(),
        }
        if self.points is not None:
            files["points.toml"] = self.points.read_bytes()
        if self.wheel is not None:
            files[self.wheel.name] = self.wheel.read_bytes()
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                entry = zipfile.ZipInfo(name)
                entry.external_attr = (0o755 if name in ("setup.sh", "run_autograder") else 0o644) << 16
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        return made.getvalue()
