"""Adapters: the only modules that touch stores, jobs and providers."""
