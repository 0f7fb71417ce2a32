"""What the pages about trials ask: runs, tasks, trials, attempts, failures, speed."""
