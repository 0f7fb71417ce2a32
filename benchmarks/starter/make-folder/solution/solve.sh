#!/bin/bash
set -euo pipefail
mkdir -p /app/notes
touch /app/notes/todo.txt
