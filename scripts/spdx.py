#!/usr/bin/env python3
"""Usage: spdx.py SOURCE-DIRECTORY BUILD-DIRECTORY

The programs and libraries that a build installs, what they link, what is bundled in
the dashboard, as SPDX 2.3 in JSON. Libraries are those that
the programs name (objdump) and the loader finds here (ldd), with Debian's
package of each, where there is one; npm's packages are those of
package-lock.json. The same build gives the same bytes.
"""
import base64
import json
import os
import re
import subprocess
import sys
import time
import uuid

# The licences of libraries that tori chose. Others are not judged.
LICENCES = {
    "libc": "LGPL-2.1-or-later", "libm": "LGPL-2.1-or-later", "libz": "Zlib",
    "ld-linux-x86-64": "LGPL-2.1-or-later",
    "ld-linux-aarch64": "LGPL-2.1-or-later",
    "libjansson": "MIT", "libyaml-0": "MIT", "libsqlite3": "blessing",
    "libuv": "MIT", "libmicrohttpd": "LGPL-2.1-or-later", "libconfuse": "ISC",
    "libnettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libhogweed": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libcurl": "curl",
    "libmpich": "mpich2", "libslurm": "GPL-2.0-or-later",
}
GPL = ("tori-slurm", "job_submit_tori.so", "jobcomp_tori.so")
LOADED = {"tori": ["libcurl.so.4"]}  # when it first asks torid


def output(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=False).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def installed(build):
    """The objects with machine code that `meson install` would copy."""
    plan = json.loads(output("meson", "introspect", "--installed", build))
    for path in sorted(plan):
        if os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def needed(path):
    return re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", path))


def found(path):
    """Where the loader finds each library that a program needs; and itself."""
    said = output("ldd", path)
    own = re.findall(r"^\s*(/\S+) \(", said, re.M)
    return {**{os.path.basename(name): name for name in own},
            **dict(re.findall(r"(\S+) => (/\S+)", said))}


def in_cache():
    """Where the loader finds a library that is loaded by its name."""
    names = {}
    for name, path in re.findall(r"^\s*(\S+) \(.*\) => (\S+)$",
                                 output("/sbin/ldconfig", "-p"), re.M):
        names.setdefault(name, path)
    return names


def debian(path):
    """The package and version that a file belongs to. dpkg may know it by its
    place before /lib became a link."""
    for name in (path, os.path.realpath(path),
                 re.sub("^/usr/lib/", "/lib/", os.path.realpath(path))):
        owner = output("dpkg", "-S", name).partition(": ")[0]
        if owner:
            return owner.partition(":")[0], output(
                "dpkg-query", "-W", "-f", "${Version}", owner)
    return None


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.]", "-", name)


def package(kind, name, version, licence, purl=None, **more):
    row = {"SPDXID": spdx_id(kind, name), "name": name,
           "versionInfo": version, "downloadLocation": "NOASSERTION",
           "filesAnalyzed": False, "copyrightText": "NOASSERTION",
           "licenseConcluded": licence, "licenseDeclared": licence, **more}
    if purl:
        row["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": purl}]
    return row


class Listing:
    def __init__(self, source, build):
        self.source = source
        self.build = build
        self.version = re.search(r"^  version: '(.*)',$",
                                 read(f"{source}/meson.build"), re.M)[1]
        self.packages = {}
        self.relations = []
        self.cache = in_cache()

    def add(self, row):
        self.packages[row["SPDXID"]] = row
        return row["SPDXID"]

    def relate(self, one, kind, other):
        self.relations.append({"spdxElementId": one, "relationshipType": kind,
                               "relatedSpdxElement": other})

    def library(self, soname, path):
        """A library of the system, as Debian's package of it."""
        owner = debian(path) if path else None
        licence = LICENCES.get(soname.partition(".so")[0], "NOASSERTION")
        return self.add(package(
            "Library", soname, owner[1] if owner else "NOASSERTION", licence,
            f"pkg:deb/debian/{owner[0]}@{owner[1]}" if owner else None,
            **({"sourceInfo": f"Debian's package {owner[0]}"} if owner
               else {})))

    def programs(self, top):
        for path in installed(self.build):
            name = os.path.basename(path)
            program = self.add(package(
                "Program", name, self.version,
                "GPL-2.0-or-later" if name in GPL else "MIT",
                primaryPackagePurpose="LIBRARY" if ".so" in name
                else "APPLICATION"))
            self.relate(top, "CONTAINS", program)
            where = found(path)
            for soname in needed(path):
                self.relate(program, "DYNAMIC_LINK",
                            self.library(soname, where.get(soname)))
            for soname in LOADED.get(name, ()):
                self.relate(program, "DEPENDS_ON",
                            self.library(soname, self.cache.get(soname)))

    def bundled(self):
        """npm's packages in the dashboard."""
        lock = json.loads(read(f"{self.source}/web/package-lock.json"))
        users = [spdx_id("Program", name) for name in ("tori", "torid")
                 if spdx_id("Program", name) in self.packages]
        for name in sorted(lock["packages"][""]["dependencies"]):
            row = lock["packages"][f"node_modules/{name}"]
            digest = base64.b64decode(row["integrity"].partition("-")[2])
            part = self.add(package(
                "Npm", name, row["version"], row["license"],
                f"pkg:npm/{name}@{row['version']}",
                checksums=[{"algorithm": "SHA512",
                            "checksumValue": digest.hex()}]))
            for user in users:
                self.relate(user, "CONTAINS", part)

    def document(self):
        top = self.add(package("Package", "tori", self.version,
                               "MIT AND GPL-2.0-or-later",
                               supplier="Organization: The tori authors"))
        self.programs(top)
        if os.path.exists(f"{self.build}/web/page.html.gz") and os.path.getsize(
                f"{self.build}/web/page.html.gz"):
            self.bundled()
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", top)
        body = {"packages": list(self.packages.values()),
                "relationships": self.relations}
        unique = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body))
        commit = output("git", "-C", self.source, "show", "-s", "--format=%ct",
                        "HEAD").strip()
        made = int(os.environ.get("SOURCE_DATE_EPOCH") or commit or 0)
        return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
                "SPDXID": "SPDXRef-DOCUMENT", "name": f"tori-{self.version}",
                "documentNamespace": f"urn:uuid:{unique}",
                "creationInfo": {
                    "created": time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                             time.gmtime(made)),
                    "creators": [f"Tool: tori-spdx-{self.version}"]}, **body}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    json.dump(Listing(*sys.argv[1:]).document(), sys.stdout, indent=1)
    print()
