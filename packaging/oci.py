"""Container images as an OCI image layout, written without a container engine.

Two images in one layout: `sealring-server-VERSION` and `sealring-VERSION`. There is no shell and no package manager in
them: the program, the shared libraries that it loads, and authorities' certificates."""
import datetime
import hashlib
import json
import pathlib

import archive
import licences
import portable
import product
import re

#: Who the programs run as. The number that images without a shell commonly use for `nonroot`.
USER = 65532

DATA = "var/lib/sealring"

LAYOUT = "application/vnd.oci.image.layout.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"

SECOND = 1_000_000_000

RUN = {
    "sealring-server": {
        "Entrypoint": ["/usr/bin/sealring-server"],
        "Cmd": ["serve", "--data", f"/{DATA}"],
        "ExposedPorts": {"8080/tcp": {}},
        # Not of the OCI's specification: Docker and Podman know it, Kubernetes has probes of its own.
        "Healthcheck": {
            "Test": ["CMD", "/usr/bin/sealring-server", "health"],
            "Interval": 30 * SECOND, "Timeout": 5 * SECOND, "StartPeriod": 10 * SECOND, "Retries": 3,
        },
    },
    "sealring": {"Entrypoint": ["/usr/bin/sealring"], "Cmd": ["--help"]},
}


def build(programs, epoch, work, output):
    """Writes the layout; returns its folder."""
    version = product.version()
    layout = archive.Tree(pathlib.Path(output) / f"sealring-{version}-oci")
    manifests = [image(name, programs, version, epoch, work, layout) for name in sorted(product.PROGRAMS)]
    layout.write("oci-layout", text({"imageLayoutVersion": "1.0.0"}))
    layout.write("index.json", text({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}))
    return layout.folder


def image(name, programs, version, epoch, work, layout):
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layers = [
        layer(system(name, programs, work), epoch, layout),
        layer(program(name, programs, work), epoch, layout, {DATA: (USER, USER)}),
    ]
    labels = {
        "org.opencontainers.image.title": name,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created,
    }
    config = {
        "created": created, "architecture": "amd64", "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin", f"HOME=/{DATA}", f"SEALRING_HOME=/{DATA}/home"],
            "WorkingDir": f"/{DATA}", "Volumes": {f"/{DATA}": {}}, "StopSignal": "SIGTERM", "Labels": labels,
            **RUN[name],
        },
        "rootfs": {"type": "layers", "diff_ids": [found["diff"] for found in layers]},
        "history": [
            {"created": created, "created_by": "scripts/package", "comment": "shared libraries and certificates"},
            {"created": created, "created_by": "scripts/package", "comment": f"{name} {version}"},
        ],
    }
    manifest = {
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": blob(CONFIG, text(config), layout),
        "layers": [found["descriptor"] for found in layers],
        "annotations": labels,
    }
    return {
        **blob(MANIFEST, text(manifest), layout),
        "platform": {"architecture": "amd64", "os": "linux"},
        "annotations": {"org.opencontainers.image.ref.name": f"{name}-{version}"},
    }


def system(name, programs, work):
    """The lower layer: what the program loads, and what every root has."""
    tree = archive.Tree(pathlib.Path(work) / "oci" / f"{name}-system")
    for link in ("bin", "lib", "lib64"):
        tree.directory(f"usr/{link}")
        tree.link(link, f"usr/{link}")
    payload = programs.payload[name]
    extra = portable.opened(programs) if name == "sealring" else []
    libraries = portable.closure([payload, *extra], of_the_system=re.compile("(?!)"))
    for soname, path in libraries.items():
        tree.copy(path, f"usr/lib/x86_64-linux-gnu/{soname}")
    loader = pathlib.Path("/lib64/ld-linux-x86-64.so.2")
    tree.copy(loader.resolve(), "usr/lib64/ld-linux-x86-64.so.2", 0o755)
    tree.copy("/etc/ssl/certs/ca-certificates.crt", "etc/ssl/certs/ca-certificates.crt")
    tree.write("etc/passwd", f"root:x:0:0:root:/root:/usr/sbin/nologin\nsealring:x:{USER}:{USER}::/{DATA}:/usr/sbin/nologin\n")
    tree.write("etc/group", f"root:x:0:\nsealring:x:{USER}:\n")
    tree.write("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    tree.directory("tmp", 0o1777)
    for package, words in licences.of_libraries([*libraries.values(), loader.resolve()]).items():
        tree.write(f"usr/share/doc/{package}/copyright", words)
    return tree


def program(name, programs, work):
    """The upper layer: the program and the folder of its data."""
    tree = archive.Tree(pathlib.Path(work) / "oci" / f"{name}-program")
    binary = tree.copy(programs.payload[name], f"usr/bin/{name}", 0o755)
    product.run("strip", "--strip-unneeded", str(binary))
    tree.directory(DATA, 0o700)
    tree.copy(product.ROOT / "LICENSE", f"usr/share/doc/{name}/LICENSE")
    tree.copy(product.ROOT / "docs/NOTICE.md", f"usr/share/doc/{name}/NOTICE.md")
    for title, words in licences.texts().items():
        tree.write(f"usr/share/doc/{name}/licences/{title}", words)
    return tree


def layer(tree, epoch, layout, owners=None):
    plain = archive.tar(tree.folder, epoch, owners=owners)
    return {"diff": digest(plain), "descriptor": blob(LAYER, archive.gzipped(plain, epoch), layout)}


def blob(media_type, content, layout):
    """Stores bytes under their digest; returns what refers to them."""
    name = digest(content)
    layout.write(f"blobs/sha256/{name.removeprefix('sha256:')}", content)
    return {"mediaType": media_type, "digest": name, "size": len(content)}


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
