#!/bin/bash
set -euo pipefail
python3 - <<'EOF'
import re

MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
NAME = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
text = open("/app/notes.txt").read()
day = lambda year, month, number: f"{int(year):04d}-{month:02d}-{int(number):02d}"
text = re.sub(rf"\b(\d{{1,2}}) {NAME} (\d{{4}})\b", lambda m: day(m[3], MONTHS[m[2].lower()], m[1]), text)
text = re.sub(rf"\b{NAME} (\d{{1,2}}), (\d{{4}})\b", lambda m: day(m[3], MONTHS[m[1].lower()], m[2]), text)
text = re.sub(r"\b(\d{2})/(\d{2})/(\d{4})\b", lambda m: day(m[3], int(m[1]), m[2]), text)
open("/app/notes.txt", "w").write(text)
EOF
