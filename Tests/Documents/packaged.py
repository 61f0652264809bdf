#!/usr/bin/env python3
"""Installs packages on a fresh Debian that runs systemd, and plays the tutorial there, as it says for the packages, and other pages after it.

    packaged.py FOLDER [--cache FOLDER] [--update]     FOLDER has the packages; root, and the first time network

--update writes down what came, in the page and in docs/transcripts. Prints one line per check; exits 1 when one failed."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sessions
from pages import ROOT
from places import Packaged
from terminals import clean, wait

sys.path.insert(0, str(ROOT / "packaging"))

import machine
import product

#: What docs/linux.md installs, what a person's session has, and what python-fido2 runs by.
OF_A_DEVICE = ["openssh-server", "openssh-client", "sudo", "swtpm", "swtpm-tools", "libpam-systemd", "dbus-user-session", "python3"]

PAGE = ROOT / "docs/tutorial.md"
UNIT = "sealring-server"
failures = 0


def check(condition: bool, text: str, shown: str = "") -> None:
    global failures
    print(("ok    " if condition else "FAIL  ") + text + (f"\n{shown}" if shown and not condition else ""), flush=True)
    failures += not condition


def played(debian: machine.Machine, packages: list[Path], update: bool) -> None:
    debian.run("useradd --create-home --shell /bin/bash you && install --directory --owner=you --group=you /home/you/work")
    debian.run("chmod 755 /home/you")
    for package in packages:
        shutil.copy(package, debian.folder / "home/you/work" / package.name)
    check("not found" in debian.run("swift --version", fails=True), "there is no Swift")
    begun = time.monotonic()
    found = sessions.play(PAGE, update, "tutorial-packages", Packaged(debian))
    check(not found, f"the tutorial prints what it shows, in 80 columns, and the kept transcript is what came, in {time.monotonic() - begun:.0f} s",
          "\n".join(found))


def service(debian: machine.Machine) -> None:
    """The unit that systemd has started: who it is, and what it may."""
    state = debian.run(f"systemctl show --property ActiveState,SubState,NRestarts,User {UNIT}")
    wanted = {"ActiveState=active", "SubState=running", "NRestarts=0", "User=sealring"}
    check(set(state.split()) == wanted, "systemd runs the unit, by its user", state)
    number = debian.run(f"systemctl show --value --property MainPID {UNIT}").strip()
    status = debian.run(f"cat /proc/{number}/status")
    limits = dict(re.findall(r"^(\w+):\t(\S+)", status, re.MULTILINE))
    user = debian.run("id --user sealring").strip()
    check(limits["Uid"] == user != "0", "the process is that user's", status)
    check(all(int(limits[f"Cap{kind}"], 16) == 0 for kind in ("Eff", "Prm", "Inh", "Bnd", "Amb")), "it has no capability", status)
    check((limits["NoNewPrivs"], limits["Seccomp"]) == ("1", "2"), "nor can it get one, and its system calls are filtered", status)
    inside = f"nsenter --target {number} --mount"
    check(debian.run(f"{inside} touch /usr/x /etc/x 2>&1", fails=True).count("Read-only") == 2, "the system is read-only to it")
    check(debian.run(f"{inside} ls -A /home") == "", "it sees no home folder")
    check(debian.run("stat --format '%a %U' /var/lib/sealring /var/lib/sealring/*.sqlite").split() == ["700", "sealring", "600", "sealring"],
          "its data are its own alone")
    level = debian.run(f"systemd-analyze security --no-pager {UNIT}")
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", level)
    check(found is not None and float(found[1]) < 2.0, f"its exposure is {found[1] if found else 'not said'}, below 2.0", level)
    said = debian.run(f"journalctl --unit {UNIT} --output cat --no-pager")
    check("Failed" not in said and "errno" not in said, "nothing that it tries is refused to it", said)


def kept_running(debian: machine.Machine) -> None:
    """What an administrator does next: reload, restart, stop."""
    ready = "timeout 30 sh -c 'until sealring-server health; do sleep 0.1; done 2>/dev/null'"
    before = debian.run(f"systemctl show --property MainPID {UNIT}")
    debian.run(f"systemctl reload {UNIT}")
    check(debian.run(f"systemctl show --property MainPID {UNIT}") == before and "healthy" in debian.run(ready), "reload leaves it running")
    debian.run(f"systemctl restart {UNIT}")
    check(debian.run(ready) == "healthy\n" and debian.run(f"systemctl show --property MainPID {UNIT}") != before, "restart starts it again")
    listed = debian.run("runuser -u sealring -- sealring audit list --data /var/lib/sealring --json")
    check(listed.count('"number"') == 5, "with the evidence that it had", listed)
    debian.run(f"systemctl stop {UNIT}")
    ended = debian.run(f"systemctl show --property Result,ExecMainStatus {UNIT}")
    check(ended == "Result=success\nExecMainStatus=0\n", "stop ends it cleanly", ended)


def other_pages(debian: machine.Machine) -> None:
    """What people try next, each page as somebody who is new: with a home folder that has nothing but a checkout's files."""
    for page in ("README", "docs/prove-a-payment", "docs/runbooks", "docs/openid-connect", "docs/from-pingam", "docs/deployment"):
        debian.run("find /home/you -mindepth 1 ! -path /home/you/work -delete; find /home/you/work -mindepth 1 ! -name '*.deb' -delete")
        for folder in ("journeys", "Examples/journey-tests"):
            shutil.copytree(ROOT / folder, debian.folder / "home/you/sealring" / folder)
        begun = time.monotonic()
        found = sessions.play(ROOT / f"{page}.md", place=Packaged(debian))
        check(not found, f"{page}.md goes as it says, in {time.monotonic() - begun:.0f} s", "\n".join(found))


def device(debian: machine.Machine) -> None:
    """One chip for an account, ssh, sudo, and a passkey by python-fido2, which has a socket in the place of the kernel's uhid."""
    debian.run("find /home/you -mindepth 1 ! -path /home/you/work -delete; find /home/you/work -mindepth 1 ! -name '*.deb' -delete")
    # A person who has signed in has a session; here nobody does.
    debian.run("apt-get install --quiet=2 --yes --no-install-recommends libpam-systemd dbus-user-session python3 >&2")
    debian.run("systemctl start dbus.socket systemd-logind && loginctl enable-linger you")
    debian.run("timeout 30 sh -c 'until test -S /run/user/$(id --user you)/bus; do sleep 0.1; done'")
    place = Packaged(debian)
    begun = time.monotonic()
    found = sessions.play(ROOT / "docs/linux.md", place=place)
    check(not found, f"docs/linux.md goes as it says, in {time.monotonic() - begun:.0f} s", "\n".join(found))
    libraries = next((ROOT / ".build/verifiers/lib").glob("python3*/site-packages"))
    shutil.copytree(libraries, debian.folder / "home/you/work/verifiers")
    shutil.copy(ROOT / "Tests/Interoperability/ctap_clients.py", debian.folder / "home/you/work/ctap_clients.py")
    session = sessions.Session(place)
    try:
        program, key = session.terminal("program"), session.terminal("key")
        program.type("env PYTHONPATH=verifiers CTAP_LISTEN=/tmp/uhid python3 ctap_clients.py verified\n")
        key.answers.insert(0, (re.compile(r"^PIN \(Return"), "739184"))
        key.type("until test -S /tmp/uhid; do sleep 0.1; done; sealring passkey serve --uhid-socket /tmp/uhid\n")
        wait([program, key], lambda: program.ended(len(program.prompt)) is not None, sessions.PATIENCE)
        said = clean(program.output)
        check("as it should be" in said, "a passkey by python-fido2", said + clean(key.output))
    finally:
        session.close()
    listed = debian.run("runuser -u you -- sh -c 'cd; sealring passkey list --served --json; sealring keys list --json; sealring ssh key list --json'")
    check(listed.count('"tpm"') == 3, "the account's key, that of ssh and the passkey are in the same chip", listed)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", type=Path)
    parser.add_argument("--cache", type=Path, default=ROOT / ".build/packages-check/cache")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    packages = sorted(options.packages.glob("*.deb"))
    with tempfile.TemporaryDirectory(prefix="sealring-machine") as folder:
        try:
            with machine.Machine(options.cache, Path(folder) / "root", packages, ["curl", "libzbar0", "libpng16-16", "openssl", *OF_A_DEVICE]) as debian:
                try:
                    played(debian, packages, options.update)
                    service(debian)
                    kept_running(debian)
                    other_pages(debian)
                    device(debian)
                except (product.PackagingError, AssertionError) as error:
                    said = debian.run("systemctl status --no-pager --full --lines 0 sealring-server; journalctl --no-pager --lines 60; true")
                    check(False, "it goes on to the end", f"{error}\n{said}")
        except (product.PackagingError, OSError, subprocess.CalledProcessError) as error:
            check(False, "a fresh Debian comes up", str(error))
    print("all checks passed" if failures == 0 else f"{failures} checks failed")
    return 0 if failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
