#!/bin/bash
set -euo pipefail
cat > /app/backup.sh <<'EOF'
#!/bin/bash
# Copies every text file below SOURCE to the same place below TARGET.
set -euo pipefail
source=$1 target=$2
[ -d "$source" ] || { echo "$source is not a folder" >&2; exit 2; }
mkdir -p -- "$target"
target=$(realpath -- "$target")
cd -- "$source"
find . -type f -name '*.txt' -print0 | while IFS= read -r -d '' file; do
  mkdir -p -- "$target/$(dirname -- "$file")"
  cp -- "$file" "$target/$file"
done
EOF
