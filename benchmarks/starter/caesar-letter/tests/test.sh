#!/bin/bash
# 1 if the text is the original, trailing white space aside, else 0.
if [ "$(cat /app/plain.txt 2> /dev/null)" = "$(cat /tests/expected.txt)" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
