"""How much memory a process may have: a control group of its own, of version 2 or 1, whichever the machine has. Needs root."""

import os

MIB = 1024 * 1024


def own_group():
    """(folder of this program's own control group for memory, version), or None."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        entries = [line.rstrip("\n").split(":", 2) for line in file]
    for _, controllers, path in entries:
        if "memory" in controllers.split(","):
            return "/sys/fs/cgroup/memory" + path, 1
    for _, controllers, path in entries:
        if not controllers:
            return "/sys/fs/cgroup" + path, 2
    return None


def is_possible():
    found = own_group()
    if os.geteuid() != 0 or not found or not os.access(found[0], os.W_OK):
        return False
    if found[1] == 1:
        return True
    # In version 2 a group with processes of its own hands no controller down.
    with open(os.path.join(os.path.dirname(found[0]), "cgroup.subtree_control"), encoding="utf-8") as file:
        return "memory" in file.read().split()


class MemoryGroup:
    """Processes that have what `limit` says, together. What goes beyond is ended by the kernel (kill -9)."""

    def __init__(self, name):
        own, self.version = own_group()
        # In version 2 beside this program's group, not below it.
        self.path = os.path.join(own if self.version == 1 else os.path.dirname(own), name)
        os.mkdir(self.path)

    @property
    def enter(self):
        """The words before those of a program that it begins with."""
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            file.write(str(value))

    def anonymous_mib(self):
        """What cannot be given back: without the pages of files."""
        wanted = "rss" if self.version == 1 else "anon"
        with open(os.path.join(self.path, "memory.stat"), encoding="utf-8") as file:
            return next(int(value) for name, value in map(str.split, file) if name == wanted) / MIB

    def limit(self, mebibytes):
        """Whether the kernel accepts it: version 1 refuses less than it can reclaim."""
        try:
            self.write("memory.limit_in_bytes" if self.version == 1 else "memory.max", -1 if mebibytes is None and self.version == 1
                       else "max" if mebibytes is None else int(mebibytes * MIB))
            return True
        except OSError:
            return False

    def close(self):
        self.limit(None)
        try:
            os.rmdir(self.path)
        except OSError:
            pass
