"""The experiment: what a person asks for, in one strict document, and how a file becomes one."""
