"""The compose files, by the rules of the Compose Specification."""

import json
import re
import shlex

import pytest
import yaml
from compose_spec import PyCompose
from container import find_step, read_steps
from deploy_files import DEPLOY_DIR, read_example

from embed.settings import Settings

pytestmark = pytest.mark.slow

FILES = ["compose.yml", "compose.grown.yml"]
OWN_IMAGE = "tracking-embed"
# Of the form ${NAME:?text}: without a value, compose starts nothing.
_DEMANDED = re.compile(r"\$\{(\w+):\?[^}]+\}")
_ANY_VARIABLE = re.compile(r"\$\{?(\w+)")


def read(name: str) -> dict:
    return yaml.safe_load((DEPLOY_DIR / name).read_text())


def list_services(name: str) -> list[tuple[str, dict]]:
    return list(read(name)["services"].items())


ALL = [service for name in FILES for service in list_services(name)]
each_service = pytest.mark.parametrize(
    "service", [service for _, service in ALL], ids=[name for name, _ in ALL]
)


@pytest.mark.parametrize("name", FILES)
def test_compose_file_keeps_the_specification(name):
    compose = PyCompose.from_json(json.dumps(read(name)))

    compose.validate()


@each_service
def test_every_service_has_a_version_and_is_confined(service):
    assert service["image"] == OWN_IMAGE or re.search(r":\d", service["image"])
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service.get("cap_add", []) in ([], ["NET_BIND_SERVICE"])
    assert "privileged" not in service


@each_service
def test_our_own_image_is_built_from_here_and_has_room_for_what_it_writes(service):
    if service["image"] != OWN_IMAGE:
        return
    build = service["build"]
    assert (DEPLOY_DIR / build["context"] / build["dockerfile"]).is_file()
    (volume,) = (step.value for step in read_steps() if step.word == "VOLUME")
    mounted = [*service["tmpfs"], *(one.partition(":")[2] for one in service.get("volumes", ()))]
    assert sorted(mounted) == sorted(["/tmp", volume])  # noqa: S108
    if "disable" not in service["healthcheck"]:
        # A list loses its quotes in podman-compose 1.0.3, which Debian 12 has.
        assert shlex.split(service["healthcheck"]["test"]) == find_step("HEALTHCHECK").command


@pytest.mark.parametrize("name", FILES)
def test_no_secret_is_written_down_and_none_has_a_default(name):
    text = (DEPLOY_DIR / name).read_text()
    example = read_example(commented=True)

    variables = set(_ANY_VARIABLE.findall(text))

    assert variables == set(_DEMANDED.findall(text))
    assert variables <= example.keys()
    assert {example[name] for name in variables if name.endswith(("KEY", "PASSWORD"))} <= {""}


@pytest.mark.parametrize("name", FILES)
def test_only_the_proxy_is_reached_from_outside(name):
    published = {
        one: service["ports"] for one, service in list_services(name) if "ports" in service
    }

    assert published == {"caddy": ["80:80", "443:443"]}


@pytest.mark.parametrize("name", FILES)
def test_proxy_knows_where_the_service_is_and_is_the_only_one_that_is_trusted(name):
    services = dict(list_services(name))

    upstreams = services.pop("caddy")["environment"]["EMBED_UPSTREAMS"].split()

    assert [one.removesuffix(":8000") for one in upstreams] == [
        one for one, service in services.items() if one.startswith("embed")
    ]
    assert {
        services[one.removesuffix(":8000")]["environment"]["TRUSTED_PROXIES"] for one in upstreams
    } == {"1"}


def test_grown_form_has_two_instances_of_two_processes_and_one_worker_that_share_everything():
    values = {"POSTGRES_PASSWORD": "0123abcd", "SECRET_KEY": "k" * 64}
    values["PUBLIC_URL"] = "https://embed.example.com"
    ours = {
        name: one for name, one in list_services("compose.grown.yml") if one["image"] == OWN_IMAGE
    }

    settings = {
        name: Settings.from_environ(
            {
                variable: _DEMANDED.sub(lambda found: values[found[1]], value)
                for variable, value in one["environment"].items()
            }
        )
        for name, one in ours.items()
    }

    assert set(settings) == {"embed1", "embed2", "worker"}
    assert settings["embed1"] == settings["embed2"] == settings["worker"]
    grown = settings["embed1"]
    assert grown.database_url == "postgresql://embed:0123abcd@postgres/embed"
    assert (grown.web_concurrency, grown.trusted_proxies) == (2, 1)
    assert grown.background == "worker"
    assert ours["worker"]["command"] == ["flask", "worker"]
