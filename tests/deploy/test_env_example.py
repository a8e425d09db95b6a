"""deploy/embed.env.example, which systemd, the shell and compose all read."""

import subprocess

import pytest
from deploy_files import read_example
from support.world import SECRET_KEY

from embed.settings import VARIABLES, Settings

pytestmark = pytest.mark.slow

FOR_COMPOSE = {"POSTGRES_PASSWORD"}


def test_every_variable_is_a_setting_and_has_a_valid_value():
    given = read_example(commented=True)
    secrets = {name for name, value in given.items() if not value}

    Settings.from_environ(given | dict.fromkeys(secrets - FOR_COMPOSE, SECRET_KEY))

    assert set(given) <= {*VARIABLES, *FOR_COMPOSE}
    assert secrets == {"SECRET_KEY", *FOR_COMPOSE}


def test_what_is_not_commented_out_is_enough_to_start_with():
    assert set(read_example(commented=False)) == {"PUBLIC_URL", "TRUSTED_PROXIES"}


def test_shell_reads_the_same_values_from_all_of_its_lines():
    given = read_example(commented=True)
    lines = "".join(f"{name}={value}\n" for name, value in given.items())
    script = f"set -a\n{lines}env"

    done = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True, env={})

    read = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert {name: read[name] for name in given} == given
