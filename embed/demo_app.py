"""What ``flask demo`` serves: the service with a test wallet, which app.py never has."""

from embed.factory import create_app
from embed.settings import Settings

app = create_app(Settings.from_environ(), extra_scripts=("demo/wallet.js",))
