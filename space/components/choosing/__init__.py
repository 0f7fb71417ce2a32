"""The looks of the pages that set cells beside each other: picking, comparison, grid, cost, history."""
