"""What leaves the Space for other programs: answers, files, queries, provenance and texts; called by API, tools and pages."""
