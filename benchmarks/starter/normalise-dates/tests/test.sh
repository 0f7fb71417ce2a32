#!/bin/bash
# 1 if the text is exactly the expected one, else 0.
if cmp -s /app/notes.txt /tests/expected.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
