#!/bin/bash
# Outlives the time that task.toml gives it.
sleep 60
