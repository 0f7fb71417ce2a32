"""The engine house: plans, reconciles and runs benchmark waves, trainings, releases and publications."""
