"""What jobs start: one module a kind of job, each claims its action before it does anything."""
