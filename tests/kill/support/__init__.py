"""What the tests of this folder start and look at: installations, workers, and what must hold of them at the end."""
