#!/bin/sh
# Comments the difference of the plan between two revisions, on GitHub or GitLab:
#   comment-plan.sh BASE HEAD
# It reads both from git. Without PLANNER_COMMENT_TOKEN, as in a fork, it prints the comment alone.
set -eu

comment=$(mktemp)
trap 'rm -f "$comment"' EXIT

planner diff "$1...$2" --format markdown > "$comment"
if [ -n "${PLANNER_COMMENT_TOKEN:-}" ]; then
  node "$(dirname "$0")/post-comment.mjs" "$comment"
else
  cat "$comment"
  echo 'There is no PLANNER_COMMENT_TOKEN: the comment is printed and not posted.' >&2
fi
