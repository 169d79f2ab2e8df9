"""A comparison as one HTML page that opens from disk, without a network: its
tables, plots over the load, and a replay in 3-D. The page is bundled from
web/; here it gets its data."""
from __future__ import annotations

import base64
import gzip
import importlib.resources
import zlib

from .._library import Failed

_PLACE = b"/* data */"  # of the data, in the page


def _template() -> bytes:
    """Empty if it could not be bundled."""
    try:
        return gzip.decompress(importlib.resources.files(__package__).joinpath(
            "report.html.gz").read_bytes())
    except (FileNotFoundError, EOFError):
        return b""


def check() -> None:
    """Before any work: whether there is a page."""
    if not _template():
        raise Failed("this tori was built without esbuild, and has no report")


def page(data: str) -> bytes:
    """The page with its data, JSON, which it has compressed and in base 64."""
    check()
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9)
    packed = packer.compress(data.encode()) + packer.flush()
    return _template().replace(_PLACE, base64.b64encode(packed), 1)
