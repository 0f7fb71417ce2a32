"""The control plane's rules: events, their fold, actions, leases, admission."""
