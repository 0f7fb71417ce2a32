"""The pages that set cells beside each other, so that a reader can choose: grid, model, agent, compare, cost."""
