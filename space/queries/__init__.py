"""What a page asks: the view that its address says, and one SQL builder per page; pure, without any SDK."""
