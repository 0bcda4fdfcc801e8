#!/bin/sh
# Run once by the database container: the owner migrates, the other role serves and cannot rewrite history.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -v owner="$OWNER_PASSWORD" -v app="$APP_PASSWORD" <<'SQL'
CREATE ROLE veracity_owner LOGIN PASSWORD :'owner';
CREATE ROLE veracity_app LOGIN PASSWORD :'app';
CREATE DATABASE veracity OWNER veracity_owner;
SQL
