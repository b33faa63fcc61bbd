"""What pyproject.toml cannot say of the build: the wheel carries solutions and notebooks in the package."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

CARRIED = {"solutions": "*.py", "notebooks": "*.ipynb"}


class CarryCurriculum(build_py):
    """Copies what a clone has beside the package to where `grader.curriculum.pack` looks for it."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        carried = Path(self.build_lib, "grader", "carried")
        shutil.rmtree(carried, ignore_errors=True)
        for folder, pattern in CARRIED.items():
            for file in sorted(Path(folder).rglob(pattern)):
                if ".ipynb_checkpoints" not in file.parts:
                    target = carried / file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, target)


setup(cmdclass={"build_py": CarryCurriculum})
