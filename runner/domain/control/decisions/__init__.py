"""What a pass decides: pure functions from a run's projection and what was seen of the world to events and effects."""
