#!/bin/sh
# Exports each project, once a day, to a file for this day of the week.
set -u
directory=${BACKUP_DIRECTORY:-/backup}
list='JSON.parse(require("fs").readFileSync(0)).projects.map(({ id }) => id).join("\n")'

while true; do
  for id in $(planner call list_projects '{"limit": 1000}' --json | node -p "$list"); do
    file="$directory/$id.$(date +%u).json"
    # A backup that fails leaves the former one.
    if planner export "$id" --output "$file.new"; then mv "$file.new" "$file"; fi
  done
  sleep "${BACKUP_SECONDS:-86400}" || exit
done
