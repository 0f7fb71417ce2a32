"""The lists that the Space publishes: each is one file, shown by a page, answered by the API, written by an export."""
