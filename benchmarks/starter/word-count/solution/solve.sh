#!/bin/bash
set -euo pipefail
python3 - <<'EOF'
import re
from collections import Counter

words = Counter(re.findall(r"[a-z']+", open("/app/story.txt").read().lower()))
top = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
open("/app/top.txt", "w").write("".join(f"{word} {count}\n" for word, count in top))
EOF
