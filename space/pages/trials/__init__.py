"""The pages about trials: runs, tasks, cells x tasks, failures, speed."""
