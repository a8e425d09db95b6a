"""deploy/: the alert rules and the dashboard, as promtool and Grafana read them."""

import json
import re
import shutil
import subprocess

import pytest
from support.absence import skip_or_fail
from support.dashboard_file import PANELS, list_expressions
from support.servers import PROJECT_DIR

pytestmark = pytest.mark.slow

RULES = PROJECT_DIR / "deploy" / "prometheus-rules.yml"
CASES = PROJECT_DIR / "tests" / "monitoring" / "prometheus-rules.test.yml"


def run_promtool(*arguments: object) -> subprocess.CompletedProcess[str]:
    if shutil.which("promtool") is None:
        skip_or_fail("promtool, which comes with Prometheus (apt install prometheus)")
    return subprocess.run(
        ["promtool", *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


def test_rules_are_five_that_promtool_accepts():
    checked = run_promtool("check", "rules", "--lint-fatal", RULES)

    assert checked.returncode == 0, checked.stderr
    assert "5 rules found" in checked.stdout


def test_each_alert_fires_for_its_reasons_only():
    tested = run_promtool("test", "rules", CASES)

    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.parametrize(
    ("ours", "other"),
    [
        ("for: 2m", "for: 4m"),
        ('== 0 or absent(up{job="embed"})', "== 0"),
        ("> 0.05", "> 0.005"),
        ("> 0.05", "> 0.15"),
        ('code=~"5.."', 'code=~"[45].."'),
        (
            'embed_rate_limit_fallback{job="embed"}) == 1',
            'embed_rate_limit_fallback{job="embed"}) > 1',
        ),
        ("> 900", "> 950"),
        ("> 3 * max", "> 4 * max"),
        ("> 2 * 86400", "> 3 * 86400"),
        ("> 2 * 86400", "> 1 * 86400"),
        ("max by (job) (embed_background_processes", "min by (job) (embed_database_up"),
    ],
)
def test_another_rule_would_fail_a_case(ours, other, tmp_path):
    rules, cases = RULES.read_text(), CASES.read_text()
    assert ours in rules
    (tmp_path / "rules.yml").write_text(rules.replace(ours, other))
    (tmp_path / "cases.yml").write_text(
        cases.replace("../../deploy/prometheus-rules.yml", "rules.yml")
    )

    assert run_promtool("test", "rules", tmp_path / "cases.yml").returncode == 1


def test_alerts_say_what_to_do():
    alerts = re.split(r"- alert: ", RULES.read_text())[1:]

    assert len(alerts) == 5
    for alert in alerts:
        assert all(word in alert for word in ("for: ", "severity: ", "summary: ", "description: "))


# The dashboard


def test_panels_have_their_own_ids_places_and_queries():
    ids = [panel["id"] for panel in PANELS]
    places = [
        (panel["gridPos"]["y"] + y, panel["gridPos"]["x"] + x)
        for panel in PANELS
        for y in range(panel["gridPos"]["h"])
        for x in range(panel["gridPos"]["w"])
    ]

    assert len(set(ids)) == len(ids) > 15
    assert len(set(places)) == len(places)
    assert {x for _, x in places} == set(range(24))
    assert all(panel["targets"] for panel in PANELS if panel["type"] != "row")


def test_data_source_is_a_variable_of_the_dashboard():
    text = (PROJECT_DIR / "deploy" / "grafana-dashboard.json").read_text()
    variables = {one["name"]: one for one in json.loads(text)["templating"]["list"]}
    shown = [panel for panel in PANELS if panel["type"] != "row"]
    queries = [target for panel in shown for target in panel["targets"]]
    asked = [*shown, *queries, *(variables[name] for name in ("job", "instance"))]

    assert variables["datasource"]["type"] == "datasource"
    assert {one["datasource"]["uid"] for one in asked} == {"${datasource}"}
    assert set(re.findall(r"\$\{?(\w+)", text)) == {*variables, "__rate_interval"}


def test_promtool_can_parse_every_query_of_the_dashboard(tmp_path):
    rules = [
        {"record": f"panel:{number}", "expr": query}
        for number, query in enumerate(list_expressions())
    ]
    file = tmp_path / "rules.json"  # which is YAML, too
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))

    checked = run_promtool("check", "rules", file)

    assert checked.returncode == 0, checked.stderr
    assert f"{len(rules)} rules found" in checked.stdout


def test_dashboard_shows_everything_that_is_documented():
    shown = " ".join(list_expressions())
    documented = (PROJECT_DIR / "docs" / "monitoring.md").read_text()
    names = re.findall(r"^\| `(embed_\w+)`", documented, re.MULTILINE)

    assert [name for name in names if name not in shown] == []
