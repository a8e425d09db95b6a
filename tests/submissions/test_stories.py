"""Whatever happens to a wallet in whatever order: the list and the holder are told the truth."""

from dataclasses import dataclass

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from support.folded import list_wrongly_folded
from support.remote import make_environ
from support.world import Visitor, World, change_at, code_of

from embed.db.models import Activity, Message, Wallet
from embed.errors import InvalidInput
from embed.maintenance.wallet_erasure import erase_wallet
from embed.notifications import receivers
from embed.runtime import EXTENSION
from embed.wallets import tracking
from embed.wallets.bulk import change_wallets
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table
from embed.wallets.imports import apply_import


@dataclass
class Story:
    """What should be true of a wallet."""

    visitor: Visitor
    is_tracked: bool = False
    is_owners: bool = False  # the owner entered it, by hand or in a table
    is_hidden: bool = False
    is_withdrawn: bool = False  # a row that remembers only that it was hidden
    live: str | None = None  # the id of a submission that is pending or approved
    is_approved: bool = False
    has_put: bool = False  # that submission put it on the list

    def approve(self) -> None:
        self.is_approved = True
        if not self.is_tracked or self.is_withdrawn:
            self.is_tracked = self.has_put = True
            self.is_withdrawn = False

    def leave(self) -> None:
        """Its submission is withdrawn, or its approval undone."""
        if self.is_tracked and (self.has_put or self.is_withdrawn):
            self.is_tracked = self.is_withdrawn = self.is_hidden
        self.has_put = False

    def remove(self) -> None:
        self.is_tracked = self.is_owners = self.is_hidden = False
        self.is_withdrawn = self.has_put = False


class Stories(RuleBasedStateMachine):
    wallets = Bundle("wallets")

    def __init__(self, app, clock) -> None:
        super().__init__()
        self.world = World(app, clock)
        self.world.configure(cooldown_s=0)
        self.clock = clock
        self.settings = app.extensions[EXTENSION].settings
        self.stories: list[Story] = []
        receivers.add_webhook(self.world.page_id, "https://hooks.example/", change_at(clock()))

    @initialize(target=wallets)
    def meet(self):
        self.stories.append(Story(Visitor()))
        return self.stories[-1]

    def _find(self, story: Story) -> Wallet | None:
        return Wallet.get_or_none(
            Wallet.page == self.world.page_id, Wallet.address == story.visitor.address
        )

    # The visitor

    @rule(story=wallets, is_auto=st.booleans())
    def submit(self, story, is_auto):
        self.clock.forward(minutes=1)
        self.world.configure(auto_approve=is_auto)
        answer = self.world.submit(story.visitor, "Ann")
        if story.live:
            assert code_of(answer) == "duplicate"
            return
        assert code_of(answer) is None
        story.live, story.is_approved = answer.json["submissionId"], False
        if is_auto:
            story.approve()

    @rule(story=wallets)
    def withdraw(self, story):
        self.clock.forward(minutes=1)
        was_put = story.is_tracked and (story.has_put or story.is_withdrawn)
        answer = self.world.withdraw(story.visitor)
        assert code_of(answer) is None
        assert answer.json["staysListed"] == story.is_owners
        assert answer.json["leftList"] == (was_put and not (story.is_withdrawn and story.is_hidden))
        story.leave()
        story.live = None
        if not story.is_owners:
            told = [one.data for one in Message.select()] + [one.data for one in Activity.select()]
            assert not [one for one in told if story.visitor.address in one]

    # The owner

    @rule(story=wallets)
    def approve(self, story):
        self.clock.forward(seconds=1)
        if story.live is None or story.is_approved:
            return
        self.world.approve(story.live)
        story.approve()

    @rule(story=wallets)
    def reject(self, story):
        self.clock.forward(seconds=1)
        if story.live is not None and not story.is_approved:
            self.world.reject(story.live)
            story.live = None

    @rule(story=wallets)
    def undo(self, story):
        self.clock.forward(seconds=1)
        if story.live is None:
            return
        try:
            self.world.undo(story.live)
        except InvalidInput:
            return
        assert story.is_approved
        if story.has_put:
            story.leave()
        story.is_approved = False

    @rule(story=wallets, is_hidden=st.booleans(), in_bulk=st.booleans())
    def hide_or_show(self, story, is_hidden, in_bulk):
        self.clock.forward(seconds=1)
        if not story.is_tracked:
            return
        wallet_id = self._find(story).id
        if in_bulk:
            action = "hide" if is_hidden else "show"
            change_wallets(self.world.page_id, [wallet_id], action, self.world.change("owner"))
        else:
            changes = tracking.WalletFields(is_hidden=is_hidden)
            tracking.update_wallet(wallet_id, changes, self.world.change())
        story.is_hidden = is_hidden

    @rule(story=wallets)
    def add(self, story):
        self.clock.forward(seconds=1)
        if story.is_tracked:
            with pytest.raises(InvalidInput):
                self.world.track(story.visitor.address)
        else:
            self.world.track(story.visitor.address, alias="Known")
            story.is_tracked = story.is_owners = True

    @rule(story=wallets, is_hidden=st.booleans())
    def import_table(self, story, is_hidden):
        self.clock.forward(seconds=1)
        text = f"{story.visitor.address},Table,,{'yes' if is_hidden else 'no'}\n"
        plan = apply_import(
            self.world.page_id,
            parse_table(read_table(text, max_wallets=self.world.settings.max_wallets)),
            self.world.change("owner"),
            makes_tags=False,
            balances=self.world.balances,
        )
        assert not plan.mistakes
        if not story.is_tracked:
            story.is_tracked = story.is_owners = True
        story.is_hidden = is_hidden

    @rule(story=wallets, in_bulk=st.booleans())
    def remove(self, story, in_bulk):
        self.clock.forward(seconds=1)
        if not story.is_tracked:
            return
        wallet_id = self._find(story).id
        if in_bulk:
            change_wallets(self.world.page_id, [wallet_id], "remove", self.world.change("owner"))
        else:
            tracking.remove_wallet(wallet_id, self.world.change())
        story.remove()

    # The operator

    @rule(story=wallets)
    def erase(self, story):
        self.clock.forward(seconds=1)
        erase_wallet(story.visitor.address, self.world.change())
        story.remove()
        story.live = None

    # What holds at all times

    @invariant()
    def everybody_is_told_the_truth(self):
        listed = {one["address"] for one in self.world.read().json["wallets"]}
        for story in self.stories:
            address = story.visitor.address
            assert (address in listed) == (story.is_tracked and not story.is_hidden)
            wallet = self._find(story)
            assert (wallet is not None) == story.is_tracked
            if wallet is not None:
                assert wallet.submission_id == (story.live if story.has_put else None)
            entry = self.world.show_records(story.visitor).json["listed"]
            assert (entry and entry["addedBy"]) == (
                ("owner" if story.is_owners else "submission") if story.is_tracked else None
            )

    @invariant()
    def searches_find_what_is_there(self):
        assert list_wrongly_folded() == []


@pytest.fixture
def environ(emptied_database_url):
    return make_environ(emptied_database_url)


@pytest.mark.slow
def test_list_and_records_and_withdrawals_tell_who_put_a_wallet_there(app, clock):
    # Not shrunk, which takes minutes.
    run_state_machine_as_test(
        lambda: Stories(app, clock),
        settings=settings(max_examples=8, stateful_step_count=20, phases=(Phase.generate,)),
    )
