#!/bin/sh
# Exports each project, once a day, to a file for this day of the week.
set -u
directory=${BACKUP_DIRECTORY:-/backup}
# Where the next page begins, or -, and the projects of this one.
page='const { projects, next_cursor: next } = JSON.parse(require("fs").readFileSync(0));
  [next ?? "-", ...projects.map(({ id }) => id)].join("\n")'

while true; do
  cursor=
  until [ "$cursor" = - ]; do
    input="{\"limit\": ${BACKUP_PAGE:-1000}${cursor:+, \"cursor\": \"$cursor\"}}"
    # A list that fails is read again tomorrow, and with it what is behind it.
    listed=$(planner call list_projects "$input" --json | node -p "$page") || break
    # shellcheck disable=SC2086 # One word each.
    set -- $listed
    cursor=$1
    shift
    for id; do
      file="$directory/$id.$(date +%u).json"
      # A backup that fails leaves the former one.
      if planner export "$id" --output "$file.new"; then mv "$file.new" "$file"; fi
    done
  done
  sleep "${BACKUP_SECONDS:-86400}" || exit
done
