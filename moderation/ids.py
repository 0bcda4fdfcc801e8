"""Identifiers: UUIDv7, so that new rows land at the end of every index."""

import uuid

import uuid_utils.compat


def new_id() -> uuid.UUID:
    return uuid_utils.compat.uuid7()
