#!/bin/bash
set -euo pipefail
python3 - <<'EOF'
import csv, json
from decimal import Decimal

totals = {}
with open("/app/sales.csv", newline="") as file:
    for row in csv.DictReader(file):
        totals[row["region"]] = totals.get(row["region"], Decimal(0)) + int(row["quantity"]) * Decimal(row["unit_price"])
with open("/app/totals.json", "w") as file:
    json.dump({region: float(round(total, 2)) for region, total in totals.items()}, file)
EOF
