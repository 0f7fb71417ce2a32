#!/bin/bash
set -euo pipefail
cd /app/project
branch=$(git symbolic-ref --short HEAD)
git bisect start HEAD "$(git rev-list --max-parents=0 HEAD)" > /dev/null
git bisect run bash check.sh > /dev/null
git rev-parse refs/bisect/bad > /app/answer.txt
git bisect reset > /dev/null
git checkout -q "$branch"
