"""The version of every format that Seawall writes; a reader refuses a newer major and upgrades an older one.

An upgrade is a pure function beside the format, with a fixture of the old bytes. Versions are integers but for events, whose
`schema_version` is `major.minor`: unknown optional fields and minors are kept and ignored, an unknown major freezes a subject.
"""

from typing import Final

API: Final = "seawall/v1"
PLAN: Final = 1
RUN_LOCK: Final = 1
REQUEST: Final = 1
EVENT: Final = "1.0"
MANIFEST: Final = 1
BUNDLE: Final = 1
RECEIPT: Final = 1
REVISION: Final = 1
STATUS: Final = 1
STATISTICS: Final = 1
CLASSIFICATION: Final = 1
PUBLICATION_CONTRACT: Final = 1
