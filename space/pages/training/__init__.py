"""The pages about trainings and releases."""
