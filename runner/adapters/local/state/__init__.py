"""Control log, inbox and status on one machine."""
