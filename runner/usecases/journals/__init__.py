"""Journals: reading them into projections, committing decisions to them, claiming in them."""
