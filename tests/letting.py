"""A judge whose workers let answers have ctypes, for the walls that stand behind that refusal."""

from grader.judge.service.remote import RemoteJudge


class LettingJudge(RemoteJudge):
    """One whose process, from which workers are forked, has none of that refusal."""

    SERVER = (
        "-c",
        """
from grader.judge.service.server import main
from grader.worker.walls import guard

guard.put_away_ctypes = lambda asker, refuse: None
guard.MEMORY = guard.MODULES = frozenset()
main()
""",
    )
