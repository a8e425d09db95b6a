"""The links from the dashboard's pages to their parts of the documents."""

from embed.web.dashboard.responses import SECTIONS


def test_every_page_of_the_dashboard_has_a_section(app):
    others = {
        "show_page",
        "read_news",
        "show_preview",
        "show_contrast",
        "export_wallets",
    }
    shown = {
        rule.endpoint.removeprefix("dashboard.")
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("dashboard.") and "GET" in rule.methods
    }

    assert shown - others - set(SECTIONS) == set()
    assert {f"dashboard.{endpoint}" for endpoint in SECTIONS} <= set(app.view_functions)


def test_pages_lead_to_their_sections_in_english(world, owner):
    wallets = f"/dashboard/pages/{world.page_id}/wallets"
    link = '<a class="help" href="/docs/owners#%s" hreflang="en">'
    shown = {
        wallets: "wallets",
        f"{wallets}/import": "import-and-export",
        "/dashboard/": "activity",
    }
    for path, section in shown.items():
        assert link % section in owner.get(path).text
    assert "(English)" not in owner.get(wallets).text
    assert link % "sign-in" in world.app.test_client().get("/dashboard/sign-in").text

    owner.post("/dashboard/account/language", language="ar")

    assert '<span lang="en" dir="ltr">(English)</span>' in owner.get(wallets).text
