"""Ports of the control plane's state: control log, inbox, status, time."""
