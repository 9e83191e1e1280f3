#!/bin/sh
# Checks the plan in the working tree. The exit code is not 0 if a file of it has a problem. Proofs of complete goals that
# later commits made stale are listed; with PLANNER_REQUIRE_PROOFS=1 they count, too. They are compared with earlier
# commits: fetch the whole history.
set -eu

planner doctor
if [ "${PLANNER_REQUIRE_PROOFS:-}" = 1 ]; then
  planner verify --check
else
  planner verify --check || echo 'This does not fail the check: PLANNER_REQUIRE_PROOFS=1 would.' >&2
fi
