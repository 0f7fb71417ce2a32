"""The serialised documents of Seawall, one per file: frozen, strict, and identified by the digest of their canonical bytes."""
