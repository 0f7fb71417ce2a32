#!/bin/bash
# Runs the checks beside this file; they write the reward.
python3 /tests/check.py
