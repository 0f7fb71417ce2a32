"""Use cases of the control plane: the pass, the inbox, the audit."""
