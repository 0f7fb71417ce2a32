#!/bin/bash
# Makes the photos; each one's content is its own old name.
mkdir -p /app/photos
cd /app/photos
for name in "IMG 2031-05-04 (1).jpg" "IMG 2031-05-04 (2).JPG" "IMG 2031-05-04 (12).jpg" "IMG 2030-12-31 (7).PNG" "IMG 2031-01-01 (3).jpeg"; do
  printf '%s' "$name" > "$name"
done
