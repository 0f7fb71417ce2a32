"""The lists about trainings, their qualifications and evaluations, releases and snapshots."""
