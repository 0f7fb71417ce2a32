"""The tests of Seawall, mirrored on the source."""
