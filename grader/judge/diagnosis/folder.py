"""Where evidence is kept: apart from `memory`, because not every command that asks loads torch."""

from pathlib import Path


def evidence_folder() -> Path:
    """A cache folder of the user's. It may be deleted at any time."""
    import platformdirs

    return platformdirs.user_cache_path("byheart") / "evidence"
