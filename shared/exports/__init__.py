"""What leaves Seawall for other programs, in bytes that both houses write alike: pure functions of the standard library."""
