"""The published tables: one file each with its columns, grain, key and how its rows follow from a sealed run."""
