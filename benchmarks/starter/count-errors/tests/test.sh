#!/bin/bash
# The log is fixed, so the right number is known: 47.
if [ "$(tr -d '[:space:]' < /app/answer.txt 2>/dev/null)" = "47" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
