#!/bin/bash
# 1 if list and ledger agree with the shelves, else 0.
listed=$(awk 'NF == 3 { stock[$2] += ($1 == "in" ? $3 : -$3) } END { for (name in stock) print name "," stock[name] }' /app/movements.txt | sort)
expected=$(printf 'lamp,9\nnet,1\noil,18\nrope,3')
written=$(tail -n +2 /app/stock.csv 2> /dev/null)
if [ "$listed" = "$expected" ] && [ "$written" = "$expected" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
