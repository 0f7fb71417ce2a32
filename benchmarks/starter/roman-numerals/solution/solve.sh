#!/bin/bash
set -euo pipefail
cat > /app/roman.py <<'EOF'
"""Roman numerals from 1 to 3999."""

PARTS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]


def to_roman(number):
    """Return the numeral of `number`."""
    if not 1 <= number <= 3999:
        raise ValueError("expected a number from 1 to 3999")
    text = ""
    for value, part in PARTS:
        while number >= value:
            text += part
            number -= value
    return text


def from_roman(text):
    """Return the number of the numeral `text`."""
    number, rest = 0, text
    for value, part in PARTS:
        while rest.startswith(part):
            number += value
            rest = rest[len(part):]
    if rest or not number or number > 3999 or to_roman(number) != text:
        raise ValueError("not a standard numeral")
    return number
EOF
