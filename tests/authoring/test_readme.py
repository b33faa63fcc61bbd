"""README.md against what it is made from, and what it points at."""

import ast
import re

import pytest
from driving import CATALOG, PROJECT

from grader.authoring.readme import generated_files, readme_text
from grader.curriculum.catalog import Topic
from grader.judge.service.remote import RemoteJudge

README = (PROJECT / "README.md").read_text(encoding="utf-8")


def test_lists_are_up_to_date() -> None:
    assert readme_text(CATALOG) == README, "python -m grader readme writes them anew"


def test_pictures_are_up_to_date(judge: RemoteJudge) -> None:
    files = generated_files(CATALOG, lambda topic, path: judge.grade(topic.id, path))
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, "python -m grader readme writes them anew"


def test_every_topic_and_command_is_listed() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert targets
    for target in targets:
        assert f"| `make {target}" in README
    for topic in CATALOG.topics:
        assert f"[`{topic.id}`]" in README


def test_a_stale_list_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Topic, "exercise", CATALOG.topics[0].solution)
    assert readme_text(CATALOG) != README


def test_example_uses_the_kit_as_it_is() -> None:
    contributing = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", contributing, re.DOTALL)
    assert len(examples) == 2
    kit = (PROJECT / "grader" / "kit" / "__init__.py").read_text(encoding="utf-8")
    for example in examples:
        assert imported_from_kit(example) <= set(re.findall(r'^    "(\w+)",$', kit, re.MULTILINE))


def imported_from_kit(source: str) -> set[str]:
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports if node.module == "grader.kit" for alias in node.names}
    assert names
    return names


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(document: str) -> None:
    text = (PROJECT / document).read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    assert targets
    assert [target for target in targets if not (PROJECT / target).exists()] == []
