"""The git clone that byheart was got by: where it stands, and how it is brought forward."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

FETCH_SECONDS, SECONDS = 180, 60

_ABOUT_OTHER_CLONES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")


class CannotUpdate(Exception):
    """Nothing was brought; the message says in a sentence why, and what to do."""


class Clone:
    """A clone on a branch that follows one of a remote. Its methods raise `CannotUpdate`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        if not (root / ".git").exists():
            raise CannotUpdate(
                "This folder is no git clone, so nothing can be brought: clone byheart anew, and move your "
                "exercises/ and .practice/ there."
            )
        self._git("rev-parse", "--git-dir")  # says what is wrong with the clone as a whole
        branch = self._find("symbolic-ref", "--quiet", "--short", "HEAD")
        if branch is None:
            raise CannotUpdate(
                "git stands on no branch (detached HEAD): git checkout main, then: make update"
            )
        remotes = self._git("remote").split()
        if not remotes:
            raise CannotUpdate(
                "This clone has no remote to bring anything from: git remote add origin ADDRESS"
            )
        if self._find("rev-parse", "--symbolic-full-name", "@{upstream}") is None:
            follow = f"git branch --set-upstream-to={remotes[0]}/main"
            raise CannotUpdate(
                f"The branch {branch} follows none of the remote: git fetch {remotes[0]}, then: {follow}"
            )

    def fetch(self) -> str:
        """Ask the remote what is new, and give the commit that its branch stands at."""
        try:
            self._git("fetch", "--quiet", seconds=FETCH_SECONDS)
        except CannotUpdate as problem:
            raise CannotUpdate(
                f"Nothing was changed, because the remote cannot be asked for a newer version ({problem})."
            ) from None
        return self.commit("@{upstream}")

    def commit(self, name: str) -> str:
        """The commit of that name."""
        return self._git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()

    def count(self, after: str, to: str) -> int:
        """How many commits `to` has that `after` does not."""
        return int(self._git("rev-list", "--count", f"{after}..{to}"))

    def edited(self) -> dict[str, str]:
        """The tracked files that are not as in the last commit: their paths, with git's two letters."""
        entries = self._git("status", "--porcelain", "-z", "--untracked-files=no", "--no-renames").split("\0")
        return {entry[3:]: entry[:2] for entry in entries if entry}

    def changed(self, old: str, new: str) -> dict[str, str]:
        """The paths that differ between two commits, with what became of each: A(dded), D(eleted), M…"""
        fields = self._git("diff", "--name-status", "-z", "--no-renames", old, new).split("\0")
        return dict(zip(fields[1::2], fields[::2], strict=False))

    def content(self, commit: str, path: str) -> bytes | None:
        """A file as a commit has it, if it does."""
        done = self._run("show", f"{commit}:{path}")
        return done.stdout if done.returncode == 0 else None

    def undo(self, path: str) -> None:
        """Make a file what it is in the last commit; gone, if it is not there."""
        if self._git("ls-tree", "HEAD", "--", path):
            self._git("checkout", "--quiet", "HEAD", "--", path)
        else:
            self._git("rm", "--cached", "--quiet", "--ignore-unmatch", "--", path)
            (self._root / path).unlink()

    def forward(self, commit: str) -> None:
        """Bring the branch forward to a commit that goes on from it; refused where a file is in the way."""
        self._git("merge", "--ff-only", "--quiet", commit)

    @contextlib.contextmanager
    def index_of_merge(self, own: str, new: str) -> "Iterator[MergeIndex]":
        """An index apart from the clone's, in which two commits are merged as far as whole files tell."""
        base = self._git("merge-base", own, new).strip()
        with tempfile.TemporaryDirectory() as folder:
            index = MergeIndex(self, Path(folder, "index"))
            index.git("read-tree", "-i", "-m", "--aggressive", base, own, new)
            yield index

    def commit_of(self, tree: str, parents: Sequence[str], message: str) -> str:
        """A commit that no branch stands at yet."""
        options = [option for parent in parents for option in ("-p", parent)]
        return self._git("commit-tree", tree, *options, "-m", message).strip()

    def force(self, commit: str) -> None:
        """Make every tracked file and the branch what they are in a commit."""
        self._git("reset", "--hard", "--quiet", commit)

    def _find(self, *arguments: str) -> str | None:
        done = self._run(*arguments)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def _git(self, *arguments: str, seconds: float = SECONDS, index: Path | None = None) -> str:
        done = self._run(*arguments, seconds=seconds, index=index)
        if done.returncode != 0:
            raise CannotUpdate(_reason(done.stderr.decode(errors="replace"), arguments[0]))
        return done.stdout.decode(errors="surrogateescape")

    def _run(
        self, *arguments: str, seconds: float = SECONDS, index: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {name: value for name, value in os.environ.items() if name not in _ABOUT_OTHER_CLONES}
        environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        try:
            return subprocess.run(
                ["git", "-C", str(self._root), *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
            )
        except OSError:
            raise CannotUpdate("git cannot be started: install it, then: make update") from None
        except subprocess.TimeoutExpired:
            raise CannotUpdate(f"git {arguments[0]} took longer than {seconds:.0f} s") from None


class MergeIndex:
    """The index of a merge that is being made. Its methods raise `CannotUpdate`."""

    def __init__(self, clone: Clone, file: Path) -> None:
        self._clone = clone
        self._file = file

    def git(self, *arguments: str) -> str:
        """What a command of git says, with this index for the clone's."""
        return self._clone._git(*arguments, index=self._file)

    def unmerged(self) -> list[str]:
        """The paths that both sides changed."""
        entries = self.git("ls-files", "--unmerged", "-z").split("\0")
        return sorted({entry.partition("\t")[2] for entry in entries if entry})

    def take(self, path: str, commit: str) -> None:
        """Settle a path as a commit has it; gone, if it has none."""
        entry = self.git("ls-tree", commit, "--", path)
        self.git("update-index", "--force-remove", "--", path)
        if entry:
            mode, _, hash_ = entry.partition("\t")[0].split()
            self.git("update-index", "--add", "--cacheinfo", f"{mode},{hash_},{path}")

    def written(self) -> str:
        """The tree, once nothing is unmerged."""
        return self.git("write-tree").strip()


def _reason(stderr: str, command: str) -> str:
    """What git complains of, in one line."""
    if "index.lock" in stderr:
        return "git was cut off or is at work: when it is not, delete .git/index.lock, then: make update"
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    told = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
    return told.partition(":")[2].strip().rstrip(".") if told else f"git {command} failed"
