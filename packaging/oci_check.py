"""Checks an OCI image layout from its bytes alone. It shares no code with packaging/oci.py, on purpose.

    python3 packaging/oci_check.py FOLDER

Recomputes every digest and size, and checks what a registry and an engine would trip over (image-spec 1.0, image-layout.md,
manifest.md, config.md, layer.md), and our own promises: not root, a health check, a volume that the user owns."""
import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile


class Broken(Exception):
    """The first thing that is wrong."""


def demand(condition, sentence):
    if not condition:
        raise Broken(sentence)


def read(folder, descriptor, kind):
    demand(descriptor["mediaType"] == kind, f"{descriptor['digest']} is a {descriptor['mediaType']}, not a {kind}")
    algorithm, _, value = descriptor["digest"].partition(":")
    demand(algorithm == "sha256" and len(value) == 64, f"{descriptor['digest']} is not an SHA-256 digest")
    content = (folder / "blobs/sha256" / value).read_bytes()
    demand(len(content) == descriptor["size"], f"{value} has {len(content)} bytes, not {descriptor['size']}")
    demand(hashlib.sha256(content).hexdigest() == value, f"the bytes of {value} have another digest")
    return content


def members(plain):
    with tarfile.open(fileobj=io.BytesIO(plain)) as layer:
        return layer.getmembers()


def check_image(folder, descriptor, used):
    manifest = json.loads(read(folder, descriptor, "application/vnd.oci.image.manifest.v1+json"))
    config = json.loads(read(folder, manifest["config"], "application/vnd.oci.image.config.v1+json"))
    used |= {descriptor["digest"], manifest["config"]["digest"]}
    demand(config["rootfs"]["type"] == "layers", "rootfs.type is not layers")
    demand(len(config["rootfs"]["diff_ids"]) == len(manifest["layers"]), "layers and diff_ids differ in number")
    files = {}
    for one, diff in zip(manifest["layers"], config["rootfs"]["diff_ids"]):
        used.add(one["digest"])
        plain = gzip.decompress(read(folder, one, "application/vnd.oci.image.layer.v1.tar+gzip"))
        demand("sha256:" + hashlib.sha256(plain).hexdigest() == diff, f"layer {one['digest']} has another diff_id")
        found = members(plain)
        names = [m.name for m in found]
        demand(names == sorted(names, key=str.encode), "a layer is not sorted")
        for member in found:
            demand(not member.name.startswith("/") and ".." not in member.name.split("/"), f"{member.name} leaves the root")
            demand(member.isfile() or member.isdir() or member.issym(), f"{member.name} is not a file, folder or link")
            demand(not member.mode & 0o6000, f"{member.name} changes the user who runs it")
            demand(not member.mode & 0o002 or member.mode & 0o1000 or member.issym(), f"{member.name} can be written by all")
            files[member.name] = member
    run = config["config"]
    user = run["User"].split(":")[0]
    demand(user.isdigit() and int(user) > 0, f"the user is '{run['User']}': give a number that is not root's")
    program = run["Entrypoint"][0].lstrip("/")
    demand(program in files and files[program].mode & 0o111, f"there is no program {program}")
    for volume in run["Volumes"]:
        place = files.get(volume.lstrip("/"))
        demand(place is not None and place.uid == int(user), f"the volume {volume} is not the user's")
        demand(place.mode & 0o077 == 0, f"the volume {volume} is open to others")
    if "ExposedPorts" in run:
        demand(run.get("Healthcheck", {}).get("Test", [""])[0] == "CMD", "there is no health check without a shell")
    demand(config["created"].endswith("Z"), "created is not in UTC")
    return f"{descriptor['annotations']['org.opencontainers.image.ref.name']}: {len(files)} files, {len(manifest['layers'])} layers, user {run['User']}"


def check(folder):
    folder = pathlib.Path(folder)
    demand(json.loads((folder / "oci-layout").read_text())["imageLayoutVersion"] == "1.0.0", "oci-layout has another version")
    index = json.loads((folder / "index.json").read_text())
    demand(index["schemaVersion"] == 2, "index.json has another schema")
    used = set()
    lines = [check_image(folder, descriptor, used) for descriptor in index["manifests"]]
    there = {"sha256:" + path.name for path in (folder / "blobs/sha256").iterdir()}
    demand(there == used, f"blobs that nothing refers to: {', '.join(sorted(there - used))}")
    return lines


if __name__ == "__main__":
    try:
        print("\n".join(check(sys.argv[1])))
    except (Broken, KeyError, ValueError, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error if not isinstance(error, KeyError) else f'{error} is missing'}")
