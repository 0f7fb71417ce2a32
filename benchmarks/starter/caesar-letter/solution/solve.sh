#!/bin/bash
set -euo pipefail
python3 - <<'EOF'
def shift(text, places):
    result = ""
    for letter in text:
        if letter.isalpha():
            base = ord("a") if letter.islower() else ord("A")
            letter = chr((ord(letter) - base - places) % 26 + base)
        result += letter
    return result


text = open("/app/letter.txt").read()
plain = max((shift(text, places) for places in range(26)), key=lambda each: each.lower().split().count("the"))
open("/app/plain.txt", "w").write(plain)
EOF
