"""Evidence: what a trial left behind, redacted, sealed under checksums, and verified again by anyone who holds the files."""
