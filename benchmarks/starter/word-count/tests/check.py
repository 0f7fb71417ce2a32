"""A task with several rewards: `words` and `counts` are the fractions of right lines, `reward` is their mean."""

import json
import re
from collections import Counter
from pathlib import Path

words = Counter(re.findall(r"[a-z']+", Path("/tests/story.txt").read_text().lower()))
expected = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
try:
    lines = [line.split() for line in Path("/app/top.txt").read_text().splitlines() if line.strip()]
except (OSError, UnicodeError):
    lines = []
if len(lines) != 5:
    lines = []
right_words = sum(line[:1] == [word] for line, (word, _count) in zip(lines, expected)) / 5
right_counts = sum(line[1:] == [str(count)] for line, (_word, count) in zip(lines, expected)) / 5
rewards = {"reward": (right_words + right_counts) / 2, "words": right_words, "counts": right_counts}
Path("/logs/verifier/reward.json").write_text(json.dumps(rewards))
