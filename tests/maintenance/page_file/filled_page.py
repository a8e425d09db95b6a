"""A page with something in every table, made by the service itself."""

from datetime import timedelta

from support.chain_history import import_balance, record_history
from support.world import USDC, Visitor, World, another_wallet, with_session

from embed import pages
from embed.db.models import Delivery, Receiver, Token
from embed.keys import access, management
from embed.keys.refused_origins import store_refused_origin
from embed.notifications import receivers
from embed.people import accounts
from embed.runtime import EXTENSION
from embed.submissions import deny_list
from embed.wallets.listings import update_listings

EMAIL = "owner@example.com"


class FilledPage:
    """The page, and the visitors who come back to it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.page_id = world.page_id
        owner = accounts.create_person(EMAIL, world.clock(), language="de")
        texts = {"public_title": "Wir — 我们", "public_comments": "Two\nlines"}
        pages.update_page(world.page_id, {"owner": owner, "cooldown_s": 86_400}, world.clock())
        world.configure(**texts, min_balance="0.5", trust_after=1, holding_watch="flag")
        look = {"accent": "7c4ddb", "radius": "3", "hide": "tools,add"}
        pages.change_look(world.page_id, look, world.clock())
        self._add_receivers()
        self._add_wallets()
        self._submit()
        self._use_keys()
        update_listings(world.clock())
        world.clock.forward(minutes=1)
        deliver_all(world)

    def _add_receivers(self) -> None:
        settings = self.world.app.extensions[EXTENSION].settings
        how = {"settings": settings, "now": self.world.clock()}
        self.webhook = receivers.add_webhook(self.page_id, "https://example.com/hook", **how)
        self.world.clock.forward(seconds=1)  # so that the file has them in this order
        how["now"] = self.world.clock()
        receivers.add_channel(self.page_id, "ntfy", {"topic": "topic"}, **how)
        receivers.rotate_secret(self.webhook.id, self.world.clock())

    def _add_wallets(self) -> None:
        world = self.world
        for name in ("whale", "team"):
            world.add_tag(name, is_counted=name == "team")
            world.clock.forward(seconds=1)
        self.tracked = world.track(
            Visitor().address, alias="Größe", tag_names=["whale", "team"], balance="1250.000001"
        )
        world.clock.forward(seconds=1)
        world.track(Visitor().address, is_hidden=True)
        program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        Token.create(mint=USDC, program=program, decimals=6, observed_at=world.clock())
        past = {timedelta(days=1): "1", timedelta(days=2): "2.5"}
        record_history(USDC, self.tracked.address, world.clock(), "18446744073709.551615", past)
        before = world.clock() - timedelta(days=3)  # on the installation that it was moved from
        import_balance(self.page_id, USDC, self.tracked.address, before, "0.5")

    def _submit(self) -> None:
        world = self.world
        self.visitor = with_session(world)
        world.observe(self.visitor.address, "1")
        self.approved_id = self._send(self.visitor, "Ada")
        world.approve(self.approved_id)
        self.rejected = another_wallet(with_session(world))
        world.observe(self.rejected.address, "1")
        world.reject(self._send(self.rejected, "Bob"))
        self.blocked = with_session(world)
        world.observe(self.blocked.address, "1")
        world.reject(self._send(self.blocked, "Bot"), blocks=True)
        deny_list.block_on_page(self.page_id, "name", "*scam*", world.clock())
        deny_list.block_for_person(world.page.owner, "network", "192.0.2.0/24", world.clock())
        self.waiting = with_session(world)
        world.observe(self.waiting.address, "1")
        self._send(self.waiting, "Cleo")
        poor = another_wallet(self.visitor)
        assert world.submit(poor, "Poor").status_code == 422
        assert world.submit(Visitor()).status_code == 422  # without a session: counted
        self.gone = with_session(world)
        world.observe(self.gone.address, "1")
        self._send(self.gone, "Gone")
        world.clock.forward(seconds=1)
        assert world.withdraw(self.gone).status_code == 200

    def _send(self, visitor: Visitor, nickname: str) -> str:
        world = self.world
        world.clock.forward(seconds=1)
        nonce = world.ask_nonce(visitor, nickname=nickname).json
        draft = world.draft(visitor, nickname, nonce=nonce)
        answer = world.post(draft, cookie=visitor.cookie)
        assert answer.status_code == 201, answer.text
        return answer.json["submissionId"]

    def _use_keys(self) -> None:
        world = self.world
        self.revoked_key = world.make_key("secret")
        world.revoke(self.revoked_key)
        key_id = access.find_access(world.public_key).key_id
        store_refused_origin(key_id, "https://other.example", world.clock(), lambda: True)
        management.change_key(
            key_id, raw_label="Main", raw_origins=["https://site.example"], now=world.clock()
        )


def deliver_all(world: World) -> None:
    """Mark what waits as delivered, as the background work does."""
    of_page = Receiver.select(Receiver.id).where(Receiver.page == world.page_id)
    Delivery.update(
        state="delivered", attempts=1, attempted_at=world.clock(), answer="200 OK"
    ).where(Delivery.receiver.in_(of_page)).execute()
