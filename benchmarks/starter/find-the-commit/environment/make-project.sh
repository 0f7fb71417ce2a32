#!/bin/bash
# Makes a history with fixed names and times, so that every hash is the same on every machine.
set -euo pipefail
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=Keeper GIT_AUTHOR_EMAIL=keeper@example.org GIT_COMMITTER_NAME=Keeper GIT_COMMITTER_EMAIL=keeper@example.org
mkdir -p /app/project && cd /app/project
git init -q -b main
git config gc.auto 0
echo 'add() { echo $(( $1 + $2 )); }' > lib.sh
printf '. ./lib.sh\n[ "$(add 2 3)" = 5 ]\n' > check.sh
for number in $(seq 20); do
  echo "note $number" >> notes.txt
  [ "$number" != 13 ] || echo 'add() { echo $(( $1 + $2 + ($1 > 1) )); }' > lib.sh
  git add .
  GIT_AUTHOR_DATE="2031-01-01T00:00:$(printf %02d "$number")Z" GIT_COMMITTER_DATE="2031-01-01T00:00:$(printf %02d "$number")Z" \
    git commit -q -m "Note $number"
done
