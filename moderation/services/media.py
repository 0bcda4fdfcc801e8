"""Media are kept by their content: the same bytes are one file, whatever they were called."""

import hashlib

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage


def keep(content: bytes, *, suffix: str) -> dict[str, str]:
    """Store bytes (once) and return {"url", "sha256"} for a post version. `suffix` is like ".png"."""
    digest = hashlib.sha256(content).hexdigest()
    name = f"{digest[:2]}/{digest}{suffix}"
    if not default_storage.exists(name):
        default_storage.save(name, ContentFile(content))
    return {"url": default_storage.url(name), "sha256": digest}
