"""1 if every region has its total, else 0. Recomputed from a copy of the data, so a changed input does not help."""

import csv
import json
from decimal import Decimal
from pathlib import Path

totals = {}
with open("/tests/sales.csv", newline="") as file:
    for row in csv.DictReader(file):
        totals[row["region"]] = totals.get(row["region"], Decimal(0)) + int(row["quantity"]) * Decimal(row["unit_price"])
try:
    answer = json.loads(Path("/app/totals.json").read_text())
    right = set(answer) == set(totals) and all(abs(float(answer[key]) - float(value)) < 0.005 for key, value in totals.items())
except (OSError, ValueError, TypeError, AttributeError):
    right = False
Path("/logs/verifier/reward.txt").write_text("1" if right else "0")
