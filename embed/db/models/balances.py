"""What addresses hold: entered by owners, or read from the chain."""

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
    """The balance of an address that an owner entered; the owner's pages of the mint share it.

    Owners do not share these: a balance that one entered must not meet another's minimum.
    """

    owner = ForeignKeyField(Person, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens
    observed_at = InstantField()

    class Meta:
        primary_key = CompositeKey("owner", "mint", "address")


class Token(Table):
    """What the chain says of a mint."""

    mint = CharField(max_length=44, primary_key=True)
    program = CharField(max_length=44, null=True)  # SPL Token or Token-2022
    decimals = IntegerField(null=True)
    name = TextField(null=True)
    symbol = TextField(null=True)
    supply = AmountField(null=True)  # whole tokens, as wallets show them
    observed_at = InstantField(null=True)
    problem = TextField(null=True)  # why its balances are not read any more
    supply_observed_at = InstantField(null=True)  # balances were read in the same calls


class ChainBalance(Table):
    """The newest observation of an address on the chain; every page of the mint shares it."""

    id = BigAutoField()
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    token_account = CharField(max_length=44)  # the associated one, which is derived
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens in all accounts
    # What other accounts than the associated one held when all of them were read.
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
