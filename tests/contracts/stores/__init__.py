"""What every store promises, whichever adapter keeps it."""
