"""The verbs about requests: what is offered, what waits, what a maintainer decides, and the hold."""
