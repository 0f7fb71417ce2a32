#!/bin/bash
set -euo pipefail
printf 'out oil 2\nin net 1\n' >> /app/movements.txt
{ echo name,count; awk '{ stock[$2] += ($1 == "in" ? $3 : -$3) } END { for (name in stock) print name "," stock[name] }' /app/movements.txt | sort; } > /app/stock.csv
