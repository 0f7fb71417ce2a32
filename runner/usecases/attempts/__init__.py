"""Reading what an attempt left: its result judged, its sealed bundle opened."""
