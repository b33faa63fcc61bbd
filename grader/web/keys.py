"""What opens the page: addresses that work once, and the secret of the cookie that each turns into.

The secret is kept between two runs, readable by its owner alone: so a tab that was open while the server was
away goes on when it is back.
"""

import hmac
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Keys:
    """The secret that a browser with access has, and the token that gives it to one more."""

    secret: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    used: Callable[[], None] = lambda: None
    """Told after a token was used, when the next one is there."""

    def opens(self, token: str) -> bool:
        """Whether this is the token; then it is so no more."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return False
        self.token = secrets.token_urlsafe(24)
        self.used()
        return True

    def knows(self, secret: str) -> bool:
        """Whether this is the secret."""
        return hmac.compare_digest(secret.encode(), self.secret.encode())


@dataclass(frozen=True)
class Kept:
    """What stays between two runs. The port does, too: to a browser another port is another page."""

    secret: str
    port: int | None


def load_kept(file: Path) -> Kept:
    """What an earlier run has kept, or a new secret."""
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
        secret, port = read["secret"], read["port"]
        if isinstance(secret, str) and len(secret) >= 32 and isinstance(port, int) and 0 < port < 2**16:
            return Kept(secret, port)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return Kept(secrets.token_urlsafe(32), None)


def keep(file: Path, kept: Kept) -> None:
    """Write it for the next run. Raises OSError."""
    write_private(file, json.dumps({"secret": kept.secret, "port": kept.port}))


def write_private(file: Path, text: str) -> None:
    """Write a file that nobody but its owner can read, not even for a moment. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
        written.write(text)
    draft.replace(file)
