"""The form, the preview, the state of a request, and why the form is closed."""
