"""No test lies where no command finds it."""

import tomllib

from servers import PROJECT_DIR

BY_ITSELF = {"tests/browser"}


def test_every_folder_of_tests_is_run_by_one_of_the_two_commands():
    with (PROJECT_DIR / "pyproject.toml").open("rb") as file:
        listed = set(tomllib.load(file)["tool"]["pytest"]["ini_options"]["testpaths"])
    folders = {f"tests/{path.parent.name}" for path in (PROJECT_DIR / "tests").glob("*/test_*.py")}

    assert folders | {"tests/test_*.py"} == listed | BY_ITSELF
    assert "pytest tests/browser" in (PROJECT_DIR / ".ci" / "run").read_text(encoding="utf-8")
