"""Names of many languages, and whether what searches look at fits the names and addresses."""

from embed.db.models import Submission, Wallet
from embed.domain.folding import fold_wallet

# What people type, by the name that they mean.
TYPED_BY_NAME = {
    "Ольга": "ольга",
    "Ärzte": "ärzte",
    "Βορράς": "βορρας",
    "Émile": "émile",
    "Łódź": "lodz",
    "Đorđe": "dorde",
    "Ærø": "aero",
}


def list_wrongly_folded() -> list[str]:
    """Return the ids of wallets and submissions that searches would not find, or find wrongly."""
    rows = [
        *Wallet.select(Wallet.id, Wallet.folded, Wallet.public_alias, Wallet.address).tuples(),
        *Submission.select(
            Submission.id, Submission.folded, Submission.nickname, Submission.wallet_address
        ).tuples(),
    ]
    return [one for one, folded, name, address in rows if folded != fold_wallet(name, address)]
