"""Every test is where pytest finds it."""

import tomllib

from servers import PROJECT_DIR

# Folders that the README's test command leaves out, and the command of .ci/run that runs each.
BY_THEMSELVES = {
    "balances": "pytest tests/web/dashboard tests/balances tests/db tests/maintenance",
    "browser": "pytest tests/browser",
    "cli": "pytest tests/journeys tests/cli",
    "dashboard": "pytest tests/web/dashboard tests/balances tests/db tests/maintenance",
    "db": "pytest tests/web/dashboard tests/balances tests/db tests/maintenance",
    "deploy": "pytest tests/monitoring tests/doctor tests/deploy tests/faults",
    "doctor": "pytest tests/monitoring tests/doctor tests/deploy tests/faults",
    "faults": "pytest tests/monitoring tests/doctor tests/deploy tests/faults",
    "journeys": "pytest tests/journeys tests/cli",
    "maintenance": "pytest tests/web/dashboard tests/balances tests/db tests/maintenance",
    "monitoring": "pytest tests/monitoring tests/doctor tests/deploy tests/faults",
    "fuzz": "pytest tests/fuzz tests/slow_clients tests/web/api/openapi",
    "slow_clients": "pytest tests/fuzz tests/slow_clients tests/web/api/openapi",
    "openapi": "pytest tests/fuzz tests/slow_clients tests/web/api/openapi",
}


def test_every_folder_of_tests_is_run_by_a_command():
    with (PROJECT_DIR / "pyproject.toml").open("rb") as file:
        options = tomllib.load(file)["tool"]["pytest"]["ini_options"]
    checks = (PROJECT_DIR / ".ci" / "run").read_text(encoding="utf-8")

    assert options["testpaths"] == ["tests"]
    assert set(options["norecursedirs"]) == {".*", *BY_THEMSELVES}
    assert all(command in checks for command in BY_THEMSELVES.values())
