"""One server and one browser for all tests of the page."""

from collections.abc import Iterator

import pytest
from web.browser import Browser, chromium
from web.serving import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("served"))
    yield server
    if server.process.poll() is None:
        server.end()


@pytest.fixture(scope="session")
def browser(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        opened.go(served.addresses[-1])
        opened.reads("Today", "Begin Softmax")
        yield opened
