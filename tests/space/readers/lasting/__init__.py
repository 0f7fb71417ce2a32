"""What lasts: answers while mirrors are swapped, many visitors at once, memory over weeks."""
