"""The lists about trials: runs, tasks, cells x tasks, trials, attempts, failures, speed."""
