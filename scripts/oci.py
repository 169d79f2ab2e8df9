#!/usr/bin/env python3
"""Usage: oci.py LAYER OUT VERSION TIME ARCHITECTURE

The files of an OCI image with one layer, a tar file, in the folder OUT: the layer
compressed, what a container of it runs, and the manifest that names both by their
digests. The same input gives the same bytes.
"""
import gzip
import hashlib
import json
import os
import shutil
import sys
import time

RUNS = {
    "User": "tori",
    "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "TORI_SOCKET=/run/tori/socket"],
    "Entrypoint": ["torid"],
    "Cmd": ["--machine", "torus:8x8x4", "--state", "/var/lib/tori",
            "--socket", "/run/tori/socket", "--executor",
            "torid-rehearse --jobs /var/lib/tori/acts"],
    "WorkingDir": "/var/lib/tori",
    "Volumes": {"/var/lib/tori": {}},
    "StopSignal": "SIGTERM",
}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Layout:
    """A folder of blobs, each named by its digest."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(f"{folder}/blobs/sha256")

    def keep(self, path, kind):
        name = digest(path)
        size = os.path.getsize(path)
        shutil.move(path, f"{self.folder}/blobs/sha256/{name}")
        return {"mediaType": f"application/vnd.oci.image.{kind}",
                "digest": f"sha256:{name}", "size": size}

    def keep_json(self, value, kind):
        path = f"{self.folder}/json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file, sort_keys=True)
        return self.keep(path, kind)


def main():
    layer, out, version, when, machine = sys.argv[1:]
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(when)))
    layout = Layout(out)
    packed = f"{out}/layer.gz"
    with open(layer, "rb") as read, open(packed, "wb") as write, \
            gzip.GzipFile("", "wb", 6, write, mtime=0) as zipped:
        shutil.copyfileobj(read, zipped, 1 << 20)
    layers = [layout.keep(packed, "layer.v1.tar+gzip")]
    config = layout.keep_json({
        "architecture": machine, "os": "linux", "created": made,
        "config": RUNS,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer)}"]},
        "history": [{"created": made, "created_by": "scripts/image"}]},
        "config.v1+json")
    manifest = layout.keep_json({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config, "layers": layers,
        "annotations": {"org.opencontainers.image.title": "tori",
                        "org.opencontainers.image.version": version,
                        "org.opencontainers.image.licenses": "MIT"}},
        "manifest.v1+json")
    manifest["annotations"] = {
        "org.opencontainers.image.ref.name":
            "tori:" + version.replace("~", "-")}
    manifest["platform"] = {"architecture": machine, "os": "linux"}
    for name, value in (("index.json", {"schemaVersion": 2,
                                        "manifests": [manifest]}),
                        ("oci-layout", {"imageLayoutVersion": "1.0.0"})):
        with open(f"{out}/{name}", "w", encoding="utf-8") as file:
            json.dump(value, file, sort_keys=True)


main()
