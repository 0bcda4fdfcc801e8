"""Pictures and films that members posted, out of our own storage and under the hash of their bytes."""

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from moderation.views.doors import Visit, signed_in

# Nothing that a browser would run: no SVG, no HTML, no PDF.
TYPES = {
    "avif": "image/avif",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "mp4": "video/mp4",
    "webm": "video/webm",
}
A_YEAR = 365 * 24 * 3600


@require_safe
@signed_in
def media(request: Visit, folder: str, digest: str, suffix: str) -> FileResponse:
    """One file. Its name is its content, so it never changes."""
    name = f"{folder}/{digest}.{suffix}"
    if suffix not in TYPES or not default_storage.exists(name):
        raise Http404
    answer = FileResponse(default_storage.open(name), content_type=TYPES[suffix])
    patch_cache_control(answer, private=True, max_age=A_YEAR, immutable=True)
    return answer
