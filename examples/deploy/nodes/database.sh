#!/bin/sh
# Starts a server of the pair. One without data becomes the primary, or a standby with a copy of the primary's data.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ] && [ "$(hostname)" != "$PRIMARY" ]; then
  until pg_isready --quiet --host "$PRIMARY" --username standby; do sleep 1; done
  PGPASSWORD=$PLANNER_STANDBY_PASSWORD pg_basebackup --host "$PRIMARY" --username standby --pgdata "$PGDATA" \
    --wal-method stream --write-recovery-conf
fi
# By this name the primary knows its standby.
exec docker-entrypoint.sh postgres -c "cluster_name=$(hostname)"
