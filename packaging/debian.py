"""The Debian packages."""
import email.utils
import hashlib
import os
import pathlib
import shutil

import archive
import licences
import manual
import product

MAINTAINER = "Sealring maintainers <maintainers@sealring.example>"

DESCRIPTIONS = {
    "sealring": (
        "keys of devices and people, signed payments, push approvals, passkeys",
        """\
 Proves which device and which person stand behind a sign-in or a payment:
 keys bound to a device (TPM or software), transactions signed on it, push
 approvals, one-time codes and WebAuthn, with PingAM's protocol.
 .
 This package has the command line with everything: the device's side, the
 administration, the evidence ledger, and the server for development
 (sealring serve, sealring demo). To run the server as a service, install
 sealring-server.""",
    ),
    "sealring-server": (
        "journey server that speaks PingAM's protocol",
        """\
 Plays authentication journeys as PingAM exports them, keeps users, devices
 and sessions, and writes a ledger of every signature that it verified.
 .
 This package has the server alone, with a systemd service, and loads no
 library for devices (TPM, fingerprint, PAM, camera).""",
    ),
}

FIELDS = {
    "sealring": [
        # Opened by name: what reads QR codes from pictures, and runs journeys' scripts.
        ("Recommends", "libzbar0, libpng16-16, libjavascriptcoregtk-4.1-0"),
        ("Suggests", "sealring-server, fprintd, libfido2-1, swtpm, swtpm-tools, libtss2-tcti-swtpm0"),
    ],
    "sealring-server": [
        # Opened by name, in the processes that run journeys' scripts.
        ("Recommends", "libjavascriptcoregtk-4.1-0"),
        ("Suggests", "sealring"),
    ],
}

DEPENDS = {
    # The way to a TPM. A dependency, so that --no-install-recommends leaves it in: what libzbar recommends are drawing programs.
    "sealring": ["ca-certificates", "libtss2-tcti-device0"],
    "sealring-server": [
        "ca-certificates",
        "init-system-helpers (>= 1.54~)",
        "systemd | systemd-standalone-sysusers | systemd-sysusers",
        "systemd | systemd-standalone-tmpfiles | systemd-tmpfiles",
    ],
}


def build(name, programs, epoch, work, output, compression="xz"):
    """Builds one package; returns its file."""
    version = product.version()
    tree = archive.Tree(pathlib.Path(work) / "debian" / name)
    binary = tree.copy(programs.payload[name], f"usr/bin/{name}", 0o755)
    product.run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", str(binary))

    linked = [binary]

    speaker = programs.speakers[name]
    for file, text in manual.pages(manual.help_of(speaker), version, epoch).items():
        tree.compressed(f"usr/share/man/man{file[-1]}/{file}", text)
    scripts = manual.completions(speaker)
    tree.write(f"usr/share/bash-completion/completions/{name}", scripts["bash"])
    tree.write(f"usr/share/zsh/vendor-completions/_{name}", scripts["zsh"])
    tree.write(f"usr/share/fish/vendor_completions.d/{name}.fish", scripts["fish"])

    documents = f"usr/share/doc/{name}"
    tree.write(f"{documents}/copyright", copyright_file())
    tree.compressed(f"{documents}/changelog", changelog(name, version, epoch))
    tree.compressed(f"{documents}/NOTICE.md", (product.ROOT / "docs/NOTICE.md").read_text())
    tree.compressed(f"{documents}/licences.txt", "\n".join(
        f"===== {title} =====\n\n{text}" for title, text in licences.texts().items()))
    tree.write(f"usr/share/lintian/overrides/{name}", overrides(name))
    if name == "sealring-server":
        service(tree)
    else:
        # What opens the links of the sign-in page; dpkg tells the desktop's database.
        tree.copy(product.ROOT / "packaging/desktop/sealring.desktop", "usr/share/applications/sealring.desktop")
        # Each person enables the agent's socket for themselves (docs/linux.md).
        for unit in ("sealring-agent.socket", "sealring-agent.service"):
            tree.copy(product.ROOT / f"packaging/systemd-user/{unit}", f"usr/lib/systemd/user/{unit}")
        linked.append(pam(tree))
        # Not enabled either: which users may have a security key is the administrator's to say.
        for unit in ("sealring-uhid.socket", "sealring-uhid@.service"):
            tree.copy(product.ROOT / f"packaging/systemd/{unit}", f"lib/systemd/system/{unit}")

    control(tree, name, version, epoch, dependencies(name, linked, work))
    return packed(tree, name, version, epoch, output, compression)


def pam(tree):
    """The PAM module, what answers it, and a service to try it with. No other service asks for it until root says so. Returns the module."""
    here = product.ROOT / "packaging"
    machine = product.run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    made = tree.folder.parent / "pam_sealring.so"
    product.run(str(product.ROOT / "scripts/pam-module"), str(made))
    product.run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", str(made))
    module = tree.copy(made, f"usr/lib/{machine}/security/pam_sealring.so")
    tree.copy(here / "pam.d/sealring-test", "etc/pam.d/sealring-test")
    for unit in ("sealring-pam.socket", "sealring-pam.service"):
        tree.copy(here / f"systemd-user/{unit}", f"usr/lib/systemd/user/{unit}")
    for unit in ("sealring-pam.socket", "sealring-pam@.service", "sealring-pam-check.socket", "sealring-pam-check@.service"):
        tree.copy(here / f"systemd/{unit}", f"lib/systemd/system/{unit}")
    return module


def service(tree):
    here = product.ROOT / "packaging"
    for unit in ("sealring-server.service", "sealring-backup.service", "sealring-backup.timer"):
        tree.copy(here / f"systemd/{unit}", f"lib/systemd/system/{unit}")
    tree.copy(here / "sysusers.d/sealring-server.conf", "usr/lib/sysusers.d/sealring-server.conf")
    tree.copy(here / "tmpfiles.d/sealring-server.conf", "usr/lib/tmpfiles.d/sealring-server.conf")
    # May hold the administrator's first password.
    tree.copy(here / "etc/server.conf", "etc/sealring/server.conf", 0o600)


def dependencies(name, linked, work):
    """What the shared libraries that programs and modules are linked with ask for, and what the package itself needs."""
    place = pathlib.Path(work) / "shlibdeps" / name / "debian"
    place.mkdir(parents=True, exist_ok=True)
    (place / "control").write_text(f"Source: {name}\n\nPackage: {name}\nArchitecture: any\n")
    said = product.run("dpkg-shlibdeps", "-O", *[f"-e{file.resolve()}" for file in linked], cwd=place.parent)
    found = [line.removeprefix("shlibs:Depends=") for line in said.splitlines() if line.startswith("shlibs:Depends=")]
    return ", ".join(sorted(found[0].split(", ")) + DEPENDS[name]) if found else ", ".join(DEPENDS[name])


def control(tree, name, version, epoch, depends):
    shared = [p for p in tree.folder.rglob("*") if p.is_file()]
    # Each file in whole KiB, each folder as one: Debian Policy §5.6.20.
    size = sum(-(-p.stat().st_size // 1024) for p in shared) + sum(1 for p in tree.folder.rglob("*") if p.is_dir())
    title, text = DESCRIPTIONS[name]
    fields = [
        ("Package", name), ("Version", product.debian_version(version)),
        ("Architecture", product.run("dpkg", "--print-architecture").strip()),
        ("Maintainer", MAINTAINER), ("Installed-Size", size), ("Depends", depends), *FIELDS[name],
        ("Section", "net"), ("Priority", "optional"), ("Description", title),
    ]
    sums = [
        f"{hashlib.md5(p.read_bytes(), usedforsecurity=False).hexdigest()}  {p.relative_to(tree.folder)}\n"
        for p in sorted(shared) if not str(p.relative_to(tree.folder)).startswith("etc/")
    ]
    tree.write("DEBIAN/control", "".join(f"{k}: {v}\n" for k, v in fields) + text + "\n")
    tree.write("DEBIAN/md5sums", "".join(sums))
    settings = sorted(p.relative_to(tree.folder) for p in shared if str(p.relative_to(tree.folder)).startswith("etc/"))
    if settings:
        tree.write("DEBIAN/conffiles", "".join(f"/{p}\n" for p in settings))
    for script in ("postinst", "prerm", "postrm"):
        source = product.ROOT / f"packaging/debian/{name}.{script}"
        if source.exists():
            tree.copy(source, f"DEBIAN/{script}", 0o755)


def packed(tree, name, version, epoch, output, compression):
    for path in [tree.folder, *tree.folder.rglob("*")]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
    architecture = product.run("dpkg", "--print-architecture").strip()
    file = pathlib.Path(output) / f"{name}_{product.debian_version(version)}_{architecture}.deb"
    # One thread: the number of threads changes the bytes.
    product.run(
        "dpkg-deb", "--root-owner-group", f"-Z{compression}", "-z6", "--threads-max=1", "--build", str(tree.folder), str(file),
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
    shutil.rmtree(tree.folder)
    return file


def copyright_file():
    grdb = (product.ROOT / ".build/checkouts/GRDB.swift/LICENSE").read_text().strip()
    owner = next(line for line in grdb.splitlines() if line.startswith("Copyright"))
    terms = grdb[grdb.index("Permission is hereby"):]
    lines = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
        "Upstream-Name: Sealring",
        "Comment: The program contains, linked statically, the works that NOTICE.md.gz",
        " beside this file lists. licences.txt.gz has their licences and notices.",
        "", "Files: *", "Copyright: 2026 The Sealring authors", "License: Apache-2.0",
        "", "Files: GRDB.swift/*", f"Copyright: {owner.removeprefix('Copyright').replace('(C)', '').strip()}",
        "License: Expat",
        "", "License: Apache-2.0",
        " On Debian systems the text is in /usr/share/common-licenses/Apache-2.0. Parts",
        " of the Swift project are under it with the Runtime Library Exception.",
        "", "License: Expat", *[" " + (line.strip() or ".") for line in terms.splitlines()],
    ]
    return "\n".join(lines) + "\n"


def changelog(name, version, epoch):
    date = email.utils.formatdate(epoch)
    return (
        f"{name} ({product.debian_version(version)}) unstable; urgency=medium\n\n"
        f"  * Sealring {version}. What changed is in the project's CHANGELOG.md.\n\n -- {MAINTAINER}  {date}\n")


def overrides(name):
    """What lintian says of these packages on purpose."""
    lines = [
        "# Swift has no stable ABI on Linux: its runtime and packages are linked statically.",
        f"{name} binary: embedded-library *",
        "# This is not Debian's archive: there is no bug to close.",
        f"{name} binary: initial-upload-closes-no-bugs *",
    ]
    if name == "sealring-server":
        lines += [
            "# The file may hold the administrator's first password.",
            f"{name} binary: non-standard-file-perm 0600 != 0644 [etc/sealring/server.conf]",
            "# Reads units again; starting and stopping goes through deb-systemd-invoke.",
            f"{name} binary: maintainer-script-calls-systemctl *",
        ]
    return "\n".join(lines) + "\n"
