"""Material for tests: valid values that a test changes in one place."""
