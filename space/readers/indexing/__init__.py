"""What turns copied files into a mirror: the checks, then the tables that the pages ask."""
