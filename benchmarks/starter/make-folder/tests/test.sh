#!/bin/bash
# 1 if the file is there and empty, else 0.
if [ -f /app/notes/todo.txt ] && [ ! -s /app/notes/todo.txt ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
