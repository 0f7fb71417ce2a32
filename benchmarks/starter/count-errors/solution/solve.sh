#!/bin/bash
set -euo pipefail
awk '$3 == "ERROR"' /app/service.log | wc -l > /app/answer.txt
