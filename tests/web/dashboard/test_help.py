"""The links from the dashboard's pages to their parts of the documents."""

from routes import list_routes

from embed.web.dashboard.routes import ROUTES


def test_every_page_of_the_dashboard_has_a_section(app):
    others = {
        "show_page",
        "read_news",
        "show_preview",
        "export_wallets",
        "refuse_unknown",
    }
    without = {
        endpoint.removeprefix("dashboard.")
        for endpoint, method, _ in list_routes(app)
        if method == "GET" and "#" not in ROUTES[endpoint].help
    }

    assert without == others


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
