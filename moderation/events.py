"""What the platform tells whoever builds on it. Fired by the outbox consumer, never inside a service:
a receiver's failure sets the outbox row back and it is told again, so receivers are safe to repeat."""

from django.dispatch import Signal

post_version_added = Signal()  # version: PostVersion, now: datetime
switch_went_on = Signal()  # switch: Switch, now: datetime
