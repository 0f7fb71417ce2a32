"""The looks of the pages about trials: runs, tasks, cells x tasks, failures, speed."""
