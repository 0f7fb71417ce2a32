#!/bin/bash
set -euo pipefail
cd /app/photos
for file in IMG*; do
  if [[ $file =~ ^IMG\ ([0-9]{4})-([0-9]{2})-([0-9]{2})\ \(([0-9]+)\)\.([A-Za-z]+)$ ]]; then
    extension=${BASH_REMATCH[5],,}
    mv -- "$file" "${BASH_REMATCH[1]}${BASH_REMATCH[2]}${BASH_REMATCH[3]}_$(printf %02d "${BASH_REMATCH[4]}").$extension"
  fi
done
