"""What Seawall does, one verb a file, against ports alone."""
