"""The command line: each file is one noun; it parses, calls one use case, prints."""
