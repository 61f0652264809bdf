"""Installs what scripts/package made into fresh roots and runs it there. scripts/package --check calls it, as root.

    python3 packaging/check.py FOLDER [--work ROOTS]

Debian 12 (mmdebstrap, from the machine's mirror) for the packages, once more with systemd for the tutorial; Debian 12 and 13 without anything added for the archive; the
images' own layers for the images. Prints what it does and what came out; ends with 1 at the first thing that is wrong."""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import oci_check
import product

MIRROR = "http://deb.debian.org/debian"

#: Libraries of devices, which the server alone must not load.
OF_DEVICES = r"lib(tss2|pam|systemd|dbus|zbar|png|v4l|X11|curl)"


class Root:
    """A folder that commands run in as if it were the machine."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    @classmethod
    def debian(cls, cache, name, folder):
        """A fresh Debian of the essential packages and apt; its archive is kept for the next time."""
        archive = pathlib.Path(cache) / f"{name}.tar"
        if not archive.exists():
            archive.parent.mkdir(parents=True, exist_ok=True)
            part = archive.with_suffix(".part.tar")
            sh(f"mmdebstrap --quiet --variant=apt {name} {part} {MIRROR}")
            part.rename(archive)
        root = cls(folder)
        sh(f"rm -rf {folder} && mkdir -p {folder} && tar -xf {archive} -C {folder} --exclude=./dev/*")
        for device in ("null", "zero", "random", "urandom", "tty"):
            minor = {"null": "1 3", "zero": "1 5", "random": "1 8", "urandom": "1 9", "tty": "5 0"}[device]
            sh(f"rm -f {folder}/dev/{device} && mknod -m 666 {folder}/dev/{device} c {minor}")
        shutil.copy("/etc/resolv.conf", root.folder / "etc/resolv.conf")
        return root

    def words(self, command, user=None):
        # A process and mount space of its own: what it starts ends with it, and /proc is there.
        who = f"--userspec={user}:{user} " if user else ""
        inner = f"mkdir -p {self.folder}/proc && mount -t proc proc {self.folder}/proc && exec chroot {who}{self.folder} {command}"
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inner]

    def run(self, command, user=None, fails=False, quiet=False, environment=None):
        print(f"  # {command}" + (f"   (as {user})" if user else ""), flush=True)
        result = subprocess.run(
            self.words(command, user), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **(environment or {})})
        if not quiet:
            print("".join(f"    {line}\n" for line in result.stdout.splitlines()), end="", flush=True)
        if (result.returncode != 0) != fails:
            demand(False, f"it ended with {result.returncode}\n{result.stdout if quiet else ''}")
        return result.stdout


def sh(command):
    subprocess.run(["sh", "-ec", command], check=True)


def demand(condition, text):
    print(("  ok    " if condition else "  FAIL  ") + text, flush=True)
    if not condition:
        sys.exit(1)


def title(text):
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def demo(root, program="/usr/bin/sealring", user=None, environment=None):
    said = root.run(f"{program} demo", user=user, environment=environment)
    demand("accepted" in said and said.count("refused") == 2, "the demo ran to its end: one payment accepted, two attacks refused")


def debian_packages(output, work, cache):
    title("Debian 12, fresh: the packages")
    root = Root.debian(cache, "bookworm", work / "bookworm")
    for file in output.glob("*.deb"):
        shutil.copy(file, root.folder / "root" / file.name)
    demand(not list(root.folder.glob("usr/bin/swift*")), "there is no Swift")
    root.run("apt-get update -q", quiet=True)
    root.run("apt-get install -y -q --no-install-recommends /root/" + next(output.glob("sealring-server_*.deb")).name, quiet=True)
    server_alone(root)
    root.run("apt-get install -y -q --no-install-recommends /root/" + next(output.glob("sealring_*.deb")).name, quiet=True)
    version = root.run("sealring --version").strip()
    demand(version == f"sealring {product.version()}", "sealring says the version")
    demo(root)
    root.run("useradd --create-home mira")
    demo(root, user="mira", environment={"HOME": "/home/mira"})
    removal(root, output)


def server_alone(root):
    loaded = root.run("ldd /usr/bin/sealring-server")
    demand(not re.search(OF_DEVICES, loaded) and "not found" not in loaded, "the server loads no library for devices")
    demand("sealring" in (root.folder / "etc/passwd").read_text(), "its user is there")
    data = root.folder / "var/lib/sealring"
    demand(data.stat().st_mode & 0o777 == 0o700 and data.stat().st_uid != 0, "its data folder is its own alone")
    with service(root, "sealring", unit_command(root)) as address:
        root.run(f"sealring-server health --url {address}/health")
    root.run("sealring-server health --url http://127.0.0.1:1/health", fails=True)


def unit_command(root):
    """What the unit starts, in its folder, on a free port."""
    unit = (root.folder / "lib/systemd/system/sealring-server.service").read_text()
    settings = (root.folder / "etc/sealring/server.conf").read_text()
    options = re.search(r"^SEALRING_SERVER_OPTIONS=(.*)$", settings, re.MULTILINE)[1]
    command = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1].replace("$SEALRING_SERVER_OPTIONS", options)
    command = command.replace("--port 8080", "--port 0")
    return f"/bin/sh -c {shlex.quote('cd /var/lib/sealring && exec ' + command)}"


class service:
    """A server that runs as long as the block; gives its address."""

    def __init__(self, root, user, command):
        self.root, self.user, self.command = root, user, command

    def __enter__(self):
        print(f"  # {self.command}   (as {self.user})", flush=True)
        self.process = subprocess.Popen(
            self.root.words(self.command, self.user), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": "/var/lib/sealring", "SEALRING_ADMIN_PASSWORD": "Correct horse 1"})
        line = self.process.stdout.readline()
        found = re.match(r"listening on (http://\S+)/am", line)
        if not found:
            print(self.process.stderr.read())
        demand(found is not None, f"the service started: {line.strip()}")
        return found[1]

    def __exit__(self, *_):
        started = time.monotonic()
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), 15)
        self.process.wait(timeout=30)
        print("".join(f"    {line}" for line in self.process.stderr), end="")
        demand(time.monotonic() - started < 15, "SIGTERM ended it")


def removal(root, output):
    said = root.run("dpkg --remove sealring-server")
    demand("data stay" in said and list((root.folder / "var/lib/sealring").iterdir()), "removing leaves the data, and says so")
    root.run("apt-get install -y -q /root/" + next(output.glob("sealring-server_*.deb")).name, quiet=True)
    said = root.run("dpkg --purge sealring-server")
    demand("data stay" in said and "rm -r" in said, "purging leaves the data, and says how to delete them")
    demand(not (root.folder / "etc/sealring/server.conf").exists(), "purging removes the settings")
    said = root.run("dpkg --purge sealring")
    demand(not (root.folder / "usr/bin/sealring").exists(), "sealring is gone")


def tutorial(output, cache):
    title("Debian 12, fresh, with systemd: the tutorial")
    player = product.ROOT / "Tests/Documents/packaged.py"
    played = subprocess.run([sys.executable, "-B", str(player), str(output), "--cache", str(cache)])
    demand(played.returncode == 0, "the tutorial prints what it shows, with the service that systemd started")


def portable_archive(output, work, cache):
    for name in ("bookworm", "trixie"):
        title(f"Debian {'12' if name == 'bookworm' else '13'}, fresh, nothing added: the archive")
        root = Root.debian(cache, name, work / f"portable-{name}")
        file = next(output.glob("*.tar.gz"))
        sh(f"tar -xzf {file} -C {root.folder}/opt")
        top = file.name.removesuffix(".tar.gz")
        missing = root.run(f"ldd /opt/{top}/bin/sealring", quiet=True)
        demand("not found" not in missing, "every library is found")
        programs = [root.folder / "opt" / top / "bin" / program for program in product.PROGRAMS]
        demand(all(map(product.has_full_relro, programs)), "their tables of addresses are read-only (full RELRO)")
        newest = max(product.newest_glibc(p) for p in (root.folder / "opt" / top).glob("*/*") if p.suffix != ".gz" and p.is_file())
        demand(newest <= (2, 36), f"the newest symbols of glibc are of {'.'.join(map(str, newest))}")
        root.run(f"ln -s /opt/{top}/bin/sealring /usr/local/bin/sealring")
        demo(root, "/usr/local/bin/sealring")
        root.run(f"/opt/{top}/bin/sealring-server --version")


def images(output, work):
    layout = next(output.glob("*-oci"))
    title("The images")
    for line in oci_check.check(layout):
        demand(True, line)
    for name in product.PROGRAMS:
        reference = f"{name}-{product.version()}"
        place = work / f"image-{name}"
        sh(f"rm -rf {place} && mkdir -p {place}")
        if shutil.which("umoci"):
            sh(f"umoci unpack --image {layout}:{reference} {place}")
            root = Root(place / "rootfs")
        else:
            sys.exit("umoci is missing: apt-get install umoci")
        sh(f"mkdir -p {root.folder}/dev && mknod -m 666 {root.folder}/dev/urandom c 1 9 && mknod -m 666 {root.folder}/dev/null c 1 3")
        home = {"HOME": "/var/lib/sealring", "SEALRING_HOME": "/var/lib/sealring/home"}
        if name == "sealring":
            root.run("/usr/bin/sealring --version", user="65532", environment=home)
            demo(root, user="65532", environment=home)
        else:
            version = root.run("/usr/bin/sealring-server --version", user="65532", environment=home)
            demand(version.strip() == f"sealring-server {product.version()}", "the server's image has this version")
            demand(not (root.folder / "usr/bin/sh").exists(), "there is no shell in it")
            command = "/usr/bin/sealring-server serve --data /var/lib/sealring --port 0"
            with service(root, "65532", command) as address:
                root.run(f"/usr/bin/sealring-server health --url {address}/health", user="65532", environment=home)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=product.ROOT / ".build/packages-check")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("scripts/package --check: chroot needs root.")
    print(f"Sealring {product.version()}, checked on {product.run('uname', '-sr').strip()}")
    work = options.work.resolve()
    debian_packages(options.output, work, work / "cache")
    tutorial(options.output, work / "cache")
    portable_archive(options.output, work, work / "cache")
    images(options.output, work)
    print("\nall checks passed")
