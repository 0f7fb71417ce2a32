#!/bin/bash
# Names and times of the history are fixed, so its hashes are known; the branch must be where it was.
cd /app/project || { echo 0 > /logs/verifier/reward.txt; exit; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
expected=$(cat /tests/expected.txt)
answer=$(tr -d '[:space:]' < /app/answer.txt 2> /dev/null)
if [ "$answer" = "$expected" ] && [ "$(git rev-parse main)" = "$(cat /tests/tip.txt)" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
