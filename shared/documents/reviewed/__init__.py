"""Reviewed documents that plans pin by digest: profiles, prices, limits."""
