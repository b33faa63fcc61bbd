"""How long somebody has worked, whatever happens to the clock on the wall."""

import time
from collections.abc import Callable


class Stopwatch:
    """Counts seconds from the start on, without pauses."""

    def __init__(self, elapsed: float = 0.0, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`elapsed` is what an earlier stopwatch had counted."""
        self._counted = elapsed
        self._monotonic = monotonic
        self._since: float | None = monotonic()

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return self._counted + self._running()

    def pause(self) -> None:
        """Stand until `resume`."""
        self._counted, self._since = self.elapsed, None

    def resume(self) -> None:
        """Go on counting."""
        if self._since is None:
            self._since = self._monotonic()

    def advance(self, seconds: float) -> None:
        """Count as if so much time had passed: nothing while it stands."""
        if self._since is not None:
            self._counted += max(seconds, 0.0)

    def _running(self) -> float:
        return 0.0 if self._since is None else max(self._monotonic() - self._since, 0.0)
