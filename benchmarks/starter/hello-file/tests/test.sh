#!/bin/bash
# 1 if the file holds exactly the line that was asked for, else 0.
if [ "$(cat /app/hello.txt 2>/dev/null)" = "Hello, world!" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
