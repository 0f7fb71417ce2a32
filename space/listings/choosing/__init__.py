"""The lists that help to choose: grid, models, agents, a cell's history, comparison, cost."""
