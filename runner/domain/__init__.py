"""Pure rules of the engine house: no clock, environment, randomness, disk or network; time and ids are passed in."""
