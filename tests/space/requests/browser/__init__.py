"""The request pages and the whole way of a request, in a real browser."""
