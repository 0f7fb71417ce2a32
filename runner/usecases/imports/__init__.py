"""Use cases of results that were made elsewhere: plan what is found, seal it, gather its facts."""
