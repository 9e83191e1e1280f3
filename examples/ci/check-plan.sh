#!/bin/sh
# Checks the plan in the working tree. The exit code is not 0 if a file of it has a problem.
set -eu

planner doctor
