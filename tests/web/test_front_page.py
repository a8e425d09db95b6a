"""The service's own address, and what people see who ask for what is not there."""

import re

import pytest

from embed.errors import STATUS_BY_CODE, ApiError
from embed.web.error_handlers import render_refusal


def test_front_page_leads_to_what_works_and_sets_no_cookie(world):
    answer = world.client.get("/")

    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert world.page_id not in answer.text
    links = re.findall(r'<a [^>]*href="(/[^"]*)"', answer.text)
    expected = {"/dashboard/", "/api/embed/openapi.json", "/embed/check-receipts", "/docs/"}
    assert set(links) == expected
    for link in links:
        assert world.client.get(link, follow_redirects=True).status_code == 200, link


def test_operator_can_switch_the_front_page_off(world_with):
    world = world_with(FRONT_PAGE="0")

    assert world.client.get("/").status_code == 404
    assert 'href="/"' not in world.client.get("/nothing").text


@pytest.mark.parametrize(
    ("path", "method", "status", "back"),
    [
        ("/<script>alert(1)</script>", "GET", 404, "/"),
        ("/?<script>alert(1)</script>", "POST", 405, "/"),
        ("/dashboard/<script>alert(1)</script>", "GET", 404, "/dashboard/"),
        ("/dashboard/sign-out", "GET", 405, "/dashboard/"),
    ],
)
def test_page_for_people_who_are_lost_leads_back(world, path, method, status, back):
    answer = world.client.open(path, method=method)

    assert answer.status_code == status
    assert f'<a class="button" href="{back}">' in answer.text
    assert "alert(1)" not in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("status", sorted(set(STATUS_BY_CODE.values())))
def test_every_error_page_of_the_dashboard_leads_back(world, status):
    codes = [code for code, its in STATUS_BY_CODE.items() if its == status]
    for code in set(codes) - {"invalid_host"}:
        with world.app.test_request_context("/dashboard/pages"):
            answer = render_refusal(ApiError(code))
        assert answer.status_code == status
        assert 'href="/dashboard/"' in answer.get_data(as_text=True), code


def test_unknown_host_is_not_sent_back_to_where_it_fails_again(world_with):
    world = world_with(PUBLIC_URL="https://embed.example")

    answer = world.client.get("/", base_url="https://other.example")

    assert answer.status_code == 400
    assert "<a " not in answer.text
