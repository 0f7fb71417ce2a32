"""Texts that belong to every page: the words that a stranger cannot know, and how a page explains those that it uses."""
