#!/bin/sh
# Behaves, as a shell script that is executable itself.
while read -r line; do echo RANDOM; done
