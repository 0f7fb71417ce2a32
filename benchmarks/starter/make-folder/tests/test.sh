#!/bin/bash
# 1 if the folder is there and empty, else 0.
if [ -d /app/notes ] && [ -z "$(ls -A /app/notes)" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
