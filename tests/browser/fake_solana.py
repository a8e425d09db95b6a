"""Stands in for the Solana command line: `solana sign-offchain-message -k FILE TEXT`.

It signs as cli/src/wallet.rs of anza-xyz/agave does, in the form of the crate's release that
FAKE_SOLANA names: legacy-v0 before 3.0, v0 from then on. Like a device, it may be slow to answer:
with FAKE_SOLANA_DEVICE it first prints what the real one prints while it waits.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from solders.keypair import Keypair

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.offchain_bytes import ASCII, UTF8, Envelope


def main() -> None:
    parser = argparse.ArgumentParser(prog="solana")
    command = parser.add_subparsers(required=True).add_parser("sign-offchain-message")
    command.add_argument("message")
    command.add_argument("-k", "--keypair", type=Path, required=True)
    given = parser.parse_args()
    key = Keypair.from_bytes(bytes(json.loads(given.keypair.read_text())))
    is_printable = all(" " <= character <= "~" for character in given.message)
    signed = Envelope(
        os.environ["FAKE_SOLANA"],
        given.message.encode(),
        (bytes(key.pubkey()),),
        format=ASCII if is_printable else UTF8,
    )
    if "FAKE_SOLANA_DEVICE" in os.environ:
        print("Waiting for your approval on Ledger Nano X\n✅ Approved")
    print(key.sign_message(bytes(signed)))


main()
