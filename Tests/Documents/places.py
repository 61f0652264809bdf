"""Where a page is played: here, with the program of the build, or on a machine that has the packages."""

import os
import re
import shlex
import socket
from pathlib import Path

from pages import ROOT, ROOTS
from terminals import SHELL

_SHELL_OF_BOTH = {
    "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC", "PS2": "> ", "PROMPT_COMMAND": r"printf '\033]133;D;%s\007' $?",
    "COLUMNS": "80", "LINES": "24", "HISTFILE": "/dev/null", "BASH_SILENCE_DEPRECATION_WARNING": "1",
}  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Here:
    """This machine: folders of its own, ports that nobody else has, and the program that SEALRING names, or the build's."""

    name = "source"

    def __init__(self, folder: Path):
        self.folder = folder
        self.port, self.tls_port = free_port(), free_port()
        for name in ("home", "work", "bin"):
            (folder / name).mkdir()
        program = Path(os.environ.get("SEALRING") or ROOT / ".build/debug/sealring").resolve()
        (folder / "bin/sealring").symlink_to(program)
        self.environment = {
            "HOME": str(folder / "home"), "XDG_DATA_HOME": f"{folder}/home/.local/share", "XDG_CONFIG_HOME": f"{folder}/home/.config",
            "XDG_STATE_HOME": f"{folder}/home/.local/state", "PATH": f"{folder}/bin:{os.environ['PATH']}", "PS1": "$ ", **_SHELL_OF_BOTH,
            "SEALRING_TCTI": "device:/nonexistent", "SEALRING_SERVER": f"http://127.0.0.1:{self.port}/am",
            "SEALRING_SERVE_PORT": str(self.port), "SEALRING_SOURCE": str(ROOT),
        }  # fmt: skip

    def shell(self, terminal: str):
        """The command of a terminal's shell, its environment, its folder, and its prompt."""
        return SHELL, self.environment, str(self.folder / "work"), "$ "

    def inside(self, text: str) -> str:
        """A page's command with the ports of this place."""
        for name in ("127.0.0.1", "localhost"):
            text = text.replace(f"{name}:8080", f"{name}:{self.port}").replace(f"{name}:8443", f"{name}:{self.tls_port}")
        return text.replace("--port 8443", f"--port {self.tls_port}")

    def outside(self, text: str) -> str:
        for port, printed in ((self.port, "8080"), (self.tls_port, "8443")):
            text = re.sub(rf"(?<=[:=\s]){port}\b", printed, text)
        for place, name in ((self.folder / "home", "/home/you"), (self.folder / "work", "/home/you/work"), (ROOT, "/home/you/sealring")):
            text = text.replace(str(place), name)
        return text


class Packaged:
    """A machine with packages to install in /home/you/work, and a person `you` beside its root."""

    name = "packages"

    def __init__(self, machine):
        self.machine = machine

    def shell(self, terminal: str):
        root = terminal.startswith(ROOTS)
        prompt = "# " if root else "$ "
        variables = {"HOME": "/root" if root else "/home/you", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PS1": prompt, "SEALRING_SOURCE": "/home/you/sealring",
                     **_SHELL_OF_BOTH}
        if not root:
            # As a login sets it.
            variables["XDG_RUNTIME_DIR"] = f"/run/user/{self.machine.run('id --user you').strip()}"
        person = [] if root else ["setpriv", "--reuid=you", "--regid=you", "--init-groups"]
        inner = [*person, "env", "--ignore-environment", "--chdir=/home/you/work", *(f"{k}={v}" for k, v in variables.items()), *SHELL]
        # script makes a terminal that belongs to the machine.
        words = self.machine.words("script", "--quiet", "--return", "--command", shlex.join(["exec", *inner]), "/dev/null")
        return words, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SHELL": "/bin/sh"}, "/", prompt

    def inside(self, text: str) -> str:
        return text

    def outside(self, text: str) -> str:
        return text
