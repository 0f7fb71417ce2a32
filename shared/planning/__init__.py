"""Planning, pure: an experiment and a resolved source become cells, trials, shards, waves, a cost and one digest."""
