"""Results and status documents that lie on the Hub, behind the ports that a folder and a file have."""
