"""What the pages ask that set cells beside each other: the grid, models and agents, a cell's reruns, a comparison, costs."""
