"""Texts that are not valid amounts."""

BAD_AMOUNTS = {
    "nothing at all": "",
    "line end": "5\n",
    "words": "much",
    "no number": "NaN",
    "infinite": "Infinity",
    "minus zero": "-0",
    "negative": "-1",
    "plus": "+1",
    "exponent alone": "e5",
    "underscore": "1_000",
    "comma": "1,5",
    "Arabic digits": "١٢",
    "hexadecimal": "0x10",
    "NUL": "1\x00",
    "just above the bound": "100000000000000000000.00000000000000000001",
    "beyond Decimal": "1e999999999999999999",
    "21 decimals": "0.000000000000000000001",
    "10,000 characters": "1" * 10_000,
}
