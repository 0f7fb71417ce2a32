"""Texts about what is shown: a page as Markdown, how to cite it, what this is for who reads without a browser."""
