"""Balances of addresses: entered by owners, or read from the chain."""

from decimal import Decimal

from peewee import (
    BigAutoField,
    BigIntegerField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from embed.db.fields import AmountField, InstantField, Table, check_amount
from embed.db.models.people import Person


class Balance(Table):
    """A balance that an owner entered; all pages of the owner and the mint share it.

    Owners don't share these: one owner's entry must not meet another owner's minimum.
    """

    owner = ForeignKeyField(Person, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens
    observed_at = InstantField()

    class Meta:
        primary_key = CompositeKey("owner", "mint", "address")


class Token(Table):
    """A mint's data on the chain."""

    mint = CharField(max_length=44, primary_key=True)
    program = CharField(max_length=44, null=True)  # SPL Token or Token-2022
    decimals = IntegerField(null=True)
    name = TextField(null=True)
    symbol = TextField(null=True)
    supply = AmountField(null=True)  # whole tokens, as wallets show them
    observed_at = InstantField(null=True)
    problem = TextField(null=True)  # why its balances are no longer read
    supply_observed_at = InstantField(null=True)  # read in the same calls as balances


class ChainBalance(Table):
    """The newest balance of an address on the chain; all pages of the mint share it."""

    id = BigAutoField()
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    token_account = CharField(max_length=44)  # the associated token account, a derived address
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens in all accounts
    # What accounts other than the associated one held when all of them were last read.
    other_amount = AmountField(default=Decimal(0), constraints=[check_amount("other_amount")])
    slot = BigIntegerField()
    observed_at = InstantField()
    all_observed_at = InstantField(null=True)  # when all accounts were read

    class Meta:
        indexes = ((("mint", "address"), True),)


class DailyBalance(Table):
    """The first observation of a day."""

    balance = ForeignKeyField(ChainBalance, on_delete="CASCADE", index=False)
    day = IntegerField()  # since 1970, UTC
    amount = AmountField(constraints=[check_amount("amount")])
    observed_at = InstantField()

    class Meta:
        primary_key = CompositeKey("balance", "day")
