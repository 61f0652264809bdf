"""A fresh Debian whose first process is systemd, in namespaces of its own: no container engine, no network but its own loopback.

Needs root. What runs in it ends with it."""
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

import product

MIRROR = "http://deb.debian.org/debian"

#: What a server at work has and the essential packages have not.
MORE = ("systemd", "systemd-sysv")

# From the folder that becomes the root. systemd wants /proc, /sys with its own cgroups, /dev with terminals, and /run.
BOOT = """
mount --make-rprivate /
mount --bind . . && cd "$PWD"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do touch dev/$device; mount --bind /dev/$device dev/$device; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p old && pivot_root . old && umount -l /old && rmdir /old
exec env -i container=namespaces PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb /lib/systemd/systemd --show-status=no
"""


def cached(cache, name, command):
    """The archive `name` in `cache`; `command` with the file's name after it makes it, once."""
    archive = pathlib.Path(cache) / f"{name}.tar"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        part = archive.with_suffix(f".{os.getpid()}.part.tar")
        subprocess.run([*command, str(part), MIRROR], check=True)
        part.rename(archive)
    return archive


def dependencies(packages):
    """The names of what packages ask for: the first of alternatives, without versions."""
    found = set()
    for package in packages:
        for one in product.run("dpkg-deb", "-f", str(package), "Depends").split(","):
            found.add(one.split("|")[0].split("(")[0].strip())
    return sorted(found)


class Machine:
    """A booted Debian, as long as the block runs. `folder` is its root, which is made anew."""

    def __init__(self, cache, folder, packages=(), others=()):
        """What the packages depend on, and others of Debian, are fetched beforehand: the machine has no network. apt finds them there."""
        self.folder = pathlib.Path(folder)
        wanted = [*dependencies(packages), *others]
        key = hashlib.sha256(" ".join([*MORE, *wanted]).encode()).hexdigest()[:8]
        fetch = f'APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get install --quiet=2 --yes --download-only {" ".join(wanted)}'
        self.archive = cached(cache, f"service-{key}", [
            "mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(MORE)}", "--skip=cleanup/apt",
            *([f"--customize-hook={fetch}"] if wanted else []), "bookworm"])
        self.process, self.first = None, 0

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", str(self.archive), "-C", str(self.folder), "--exclude=./dev/*"], check=True)
        (self.folder / "etc/hostname").write_text("laptop\n")
        (self.folder / "etc/hosts").write_text("127.0.0.1 localhost\n127.0.1.1 laptop\n")
        # A machine that is thrown away need not wait for the disk after every file.
        (self.folder / "etc/dpkg/dpkg.cfg.d/fast").write_text("force-unsafe-io\n")
        self.control = own_control_group()
        # --pdeathsig: it does not outlive this process, however that ends.
        enter = f'echo $$ >"{self.control}/cgroup.procs"; exec setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup sh -ec "$0"'
        self.log = self.folder.with_suffix(".log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(["sh", "-ec", enter, BOOT], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self._wait(lambda: self._child() and pathlib.Path(f"/proc/{self.first}/root/run/systemd/private").exists())
            self._wait(lambda: self.run("systemctl is-system-running || true").strip() in ("running", "degraded"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def _child(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.first = int(children[0]) if children else 0
        return self.first

    def _wait(self, ready):
        end = time.monotonic() + 60
        while not ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise product.PackagingError(f"systemd does not come up here:\n{self.log.read_text()}")
            time.sleep(0.05)

    def words(self, *command):
        """The command that runs a command in the machine, as its root."""
        return ["nsenter", "--target", str(self.first), "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--root", "--wd", *command]

    def run(self, command, fails=False):
        """What a command of the machine's root prints; it must end with 0, or not if it `fails`."""
        result = subprocess.run(
            self.words("sh", "-c", command), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        if (result.returncode != 0) != fails:
            raise product.PackagingError(f"{command} ended with {result.returncode}:\n{result.stdout}")
        return result.stdout

    def __exit__(self, *_):
        # The end of the first process is the end of all the others in its space.
        if self._child():
            os.kill(self.first, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait()
        for _ in range(100):
            try:
                for place, _folders, _files in os.walk(self.control, topdown=False):
                    os.rmdir(place)
                break
            except OSError:
                time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)


def own_control_group():
    """A new control group below this process's. The machine sees it as the top, and makes its own in it."""
    top = next((line.split()[1] for line in pathlib.Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2"), None)
    if top is None:
        raise product.PackagingError("There are no control groups of version 2 here, and systemd needs them.")
    own = next(line for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
    place = pathlib.Path(top + own.removeprefix("0::").rstrip("/")) / f"sealring-machine-{os.getpid()}"
    place.mkdir()
    return place
