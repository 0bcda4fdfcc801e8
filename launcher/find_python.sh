#!/bin/sh
# Hands over to the launcher with the first Python that is new enough, or says what is missing.
# A candidate is tried, not only found: version managers leave names behind that run nothing.
cd "$(dirname "$0")/.." || exit 1
new_enough='import sys; assert sys.version_info >= (3, 11)'
for extra in '; import venv, ensurepip' ''; do
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.14 python; do
        if [ -n "$candidate" ] && "$candidate" -c "$new_enough$extra" >/dev/null 2>&1; then
            exec "$candidate" -m launcher "$@"
        fi
    done
done
echo "veracity: Python 3.11 or newer is missing: install it, or name it with 'make $1 PYTHON=/path/to/python3'." >&2
exit 1
