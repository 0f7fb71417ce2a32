"""A request and its bytes, equal in both houses."""
