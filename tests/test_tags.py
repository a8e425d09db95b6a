"""The tags of versions, as .ci/tags checks and makes them."""

import os
import subprocess
import sys

import pytest
from support.servers import PROJECT_DIR

NAMES = {"project": "pyproject.toml", "log": "CHANGELOG.md"}


class Repository:
    """A repository whose changelog has some versions."""

    def __init__(self, folder) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch", "main")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")
        command = ["git", *who, "-C", self.folder, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            path = self.folder / {"project": "pyproject.toml", "log": "CHANGELOG.md"}.get(
                name, name
            )
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "A change")
        return self.git("rev-parse", "HEAD")

    def check_tags(self, *options: str) -> str:
        environ = {"GIT_COMMITTER_NAME": "S", "GIT_COMMITTER_EMAIL": "s@example.com"}
        script = [sys.executable, PROJECT_DIR / ".ci/tags", *options]
        done = subprocess.run(
            script, cwd=self.folder, env=os.environ | environ, capture_output=True, text=True
        )
        assert done.returncode == bool(done.stderr)
        return done.stderr.strip()


@pytest.fixture
def history(tmp_path):
    """Return a repository and its commits: of 0.1.0, of 0.2.0 twice, of what comes after it."""
    repository = Repository(tmp_path)
    first = "## 0.1.0 - 2026-01-01\n\nMigration: 0001.\n"
    second = f"# Changelog\n\n## 0.2.0 - 2026-01-02\n\nMigration: 0002.\n\n{first}"
    later = second.replace("## 0.2", "## Unreleased\n\n## 0.2", 1)
    commits = [
        repository.commit(project='version = "0.1.0"\n', **{"migrations/0001_initial.py": ""}),
        repository.commit(
            project='version = "0.2.0"\n', log=second, **{"migrations/0002_more.py": ""}
        ),
        repository.commit(),
        repository.commit(log=later),
    ]
    return repository, commits


def test_tags_are_made_on_the_last_commit_of_each_version(history):
    repository, commits = history
    assert repository.check_tags() == (
        "v0.2.0 is missing; git fetch --tags brings it, .ci/tags --make makes it."
    )

    assert repository.check_tags("--make") == ""
    assert repository.git("rev-parse", "v0.1.0^{}", "v0.2.0^{}").split() == [commits[0], commits[2]]
    assert repository.check_tags() == ""


@pytest.mark.parametrize(
    ("tag", "place", "mistake"),
    [
        ("v0.2.0", 0, "v0.2.0 is on a commit of an earlier version."),
        ("v0.2.0", 1, ""),
        ("v0.2.0", 3, "v0.2.0 is on a commit of a later version."),
        ("v0.1.0", 1, "v0.1.0 is on a commit of a later version."),
        ("v0.3.0", 3, "The changelog has no version for v0.3.0."),
    ],
)
def test_tag_on_a_commit_of_another_version_is_found(history, tag, place, mistake):
    repository, commits = history
    repository.check_tags("--make")

    repository.git("tag", "--force", tag, commits[place])

    assert repository.check_tags() == mistake
