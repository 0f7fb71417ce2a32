"""The pages: one file per page, discovered; layout here, numbers in queries, looks in components."""
