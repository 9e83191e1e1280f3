#!/bin/sh
# Prepares a primary when its data are made.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres << 'SQL'
-- From the environment: arguments are visible to other processes.
\getenv password PLANNER_DATABASE_PASSWORD
\getenv standby_password PLANNER_STANDBY_PASSWORD
CREATE ROLE planner LOGIN PASSWORD :'password';
CREATE DATABASE planner OWNER planner;
GRANT pg_monitor TO planner;
CREATE ROLE standby REPLICATION LOGIN PASSWORD :'standby_password';
-- It takes effect with the restart at the end of the preparation: nothing here waits for a standby.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 ("db-1", "db-2")';
SQL
echo 'host replication standby all scram-sha-256' >> "$PGDATA/pg_hba.conf"
