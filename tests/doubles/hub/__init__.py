"""A Hub on loopback that the real client is tested against: identity, repositories, faults. `python -m tests.doubles.hub`."""
