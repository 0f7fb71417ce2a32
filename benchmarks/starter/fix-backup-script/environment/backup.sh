#!/bin/bash
# Copies every text file below SOURCE to the same place below TARGET.
cd $1
for file in $(find . -name *.txt); do
  cp $file $2/$file
done
