"""Amounts are exact, from every input to every output."""

import csv
import html
import io
import re
from decimal import Decimal

import pytest
from support.world import Visitor, read_exactly, read_log

pytestmark = pytest.mark.slow

# Some differ by less than a float can represent.
AMOUNTS = (
    "18446744073.709551614",
    "18446744073.709551615",
    "99999999999999999999.99999999999999999999",
    "0.00000000000000000001",
    "0",
)


def run(world, *words: str):
    return world.app.test_cli_runner().invoke(args=words)


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}", *more])


def check_file(owner, text: str):
    file = (io.BytesIO(text.encode()), "wallets.csv")
    return owner.post(path_of(owner.world, "wallets/import"), file=file)


def add_by_form(owner, amounts: dict[str, str]) -> None:
    for address, amount in amounts.items():
        owner.world.clock.forward(milliseconds=1)
        path = path_of(owner.world, "wallets/new")
        assert owner.post(path, address=address, balance=amount).status_code == 303


def add_by_import(owner, amounts: dict[str, str]) -> None:
    text = "".join(f"{address},,,,{amount}\n" for address, amount in amounts.items())
    checked = check_file(owner, text)
    carried = re.search(r'<textarea name="text"[^>]*>(.*?)</textarea>', checked.text, re.DOTALL)[1]
    path = path_of(owner.world, "wallets/import/apply")
    assert owner.post(path, text=carried).status_code == 303


@pytest.mark.parametrize("add", [add_by_form, add_by_import])
def test_amount_comes_out_as_it_went_in(world, owner, add):
    amounts = {Visitor().address: amount for amount in AMOUNTS}

    add(owner, amounts)

    answer = world.read()
    assert re.findall(r'"tokenBalance":([^,]+),', answer.text) == list(AMOUNTS)
    for wallet in read_exactly(answer)["wallets"]:
        assert wallet["tokenBalance"] == Decimal(amounts[wallet["address"]])
    listed = run(world, "wallets", "list", world.page_id, "--json").stdout
    assert re.findall(r'"tokenBalance": ([^,]+),', listed) == list(AMOUNTS)
    exported = owner.get(path_of(world, "wallets.csv")).data.decode("utf-8-sig")
    rows = {row["address"]: row for row in csv.DictReader(io.StringIO(exported))}
    dashboard = owner.get(path_of(world, "wallets")).text
    address = f"/embed/tracking/{world.page_id}?key={world.public_key}&order=listed"
    held = re.findall(r'class="amount".*? title="(.*?)"', world.client.get(address).text)
    assert [amount.replace(",", "") for amount in held] == list(AMOUNTS)
    for wallet, amount, grouped in zip(answer.json["wallets"], AMOUNTS, held, strict=True):
        assert rows[wallet["address"]]["balance"] == amount
        assert f'<td class="number balance" title="{grouped}">' in dashboard
        form = owner.get(path_of(world, "wallets", wallet["id"])).text
        assert read_field(form, "balance") == amount
    assert "already match" in check_file(owner, exported).text


def read_field(page: str, name: str) -> str:
    (field,) = re.findall(rf'<input[^>]* name="{name}"[^>]*>', page)
    return html.unescape(re.search(r' value="([^"]*)"', field)[1])


def test_minimum_is_kept_compared_and_shown_to_the_last_digit(world, owner):
    amount, less = "18446744073.709551615", "18446744073.709551614"
    path = path_of(world, "settings/rules")
    fields = {"queue_capacity": "9", "cooldown": "1", "cooldown_unit": "days", "trust_after": "0"}
    visitor = Visitor()
    world.submit(visitor)
    world.observe(visitor.address, less)

    world.clock.forward(seconds=1)
    assert owner.post(path, min_balance=amount, **fields).status_code == 303

    assert world.page.min_balance == Decimal(amount)
    assert read_field(owner.get(path).text, "min_balance") == amount
    assert f"minimum balance: {amount}" in read_log(world.page_id)[0].subject
    shown = run(world, "pages", "show", world.page_id, "--json").stdout
    assert f'"minBalance": {amount},' in shown
    needed = "18,446,744,073.709551614 of 18,446,744,073.709551615 needed"
    assert needed in owner.get(path_of(world, "queue")).text
