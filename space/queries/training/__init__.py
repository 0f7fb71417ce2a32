"""What the pages about trainings and releases ask."""
