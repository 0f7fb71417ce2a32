#!/bin/bash
# 1 if the ledger is right after the first step, else 0.
if [ "$(cat /app/stock.csv 2> /dev/null)" = "$(printf 'name,count\nlamp,9\noil,20\nrope,3')" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
