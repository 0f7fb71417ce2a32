"""What a visitor asks for: previewed, confirmed with a ticket, put into the inbox."""
