"""The tar archive for any x86-64 Linux with glibc 2.36 or later."""
import pathlib
import re

import archive
import licences
import manual
import product

#: The newest version of glibc whose symbols a program of ours may ask for.
GLIBC = (2, 36)

#: Never bundled: glibc belongs to the kernel's and system's side, and PAM loads modules of the system it runs on.
OF_THE_SYSTEM = re.compile(
    r"(ld-linux-x86-64|libc|libm|libpthread|libdl|librt|libresolv|libutil|libanl|libpam|libaudit|libcap-ng)\.so\.\d+$")

#: Opened by name while the program runs, so that `ldd` does not list them: the TPM's transports by tpm2-tss, and by `sealring` itself,
#: to read QR codes from pictures, ZBar and libpng.
OPENED = ("libtss2-tcti-device.so.0", "libtss2-tcti-swtpm.so.0", "libtss2-tcti-mssim.so.0", "libzbar.so.0", "libpng16.so.16")

INSTALL = """\
Sealring {version} for x86-64 Linux with glibc 2.36 or later
(Debian 12, Ubuntu 23.04, Fedora 37, RHEL 10, openSUSE Leap 16 and later).

bin/sealring demo          the whole story, on a private port
bin/sealring-server serve  the server alone

The folder may lie anywhere, and links to its programs may too. Of the system
it uses glibc and libpam. Programs look for authorities' certificates in
/etc/ssl/certs/ca-certificates.crt; where that file has another name, make a
link of this name to it (as root).

share/man, share/bash-completion, share/zsh and share/fish are for your shell:
  export MANPATH="$PWD/share/man:$MANPATH"
share/sealring has the systemd units. share/doc has the licences.
"""


def build(programs, epoch, work, output):
    version = product.version()
    name = f"sealring-{version}-linux-x86_64"
    tree = archive.Tree(pathlib.Path(work) / "portable" / name)
    binaries = []
    for program in product.PROGRAMS:
        binary = tree.copy(programs.payload[program], f"bin/{program}", 0o755)
        product.run("strip", "--strip-unneeded", str(binary))
        binaries.append(binary)
    libraries = closure([*binaries, *opened(programs)])
    for soname, path in libraries.items():
        tree.copy(path, f"lib/{soname}")
    for binary in binaries:
        # DT_RPATH, not DT_RUNPATH: it holds for what the libraries load as well.
        product.run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", str(binary))
    for file in [*binaries, *tree.path("lib").glob("*")] if libraries else binaries:
        if (newest := product.newest_glibc(file)) > GLIBC:
            raise product.PackagingError(
                f"{file.name} needs glibc {'.'.join(map(str, newest))}. Build on Debian 12 for this archive.")

    for program in product.PROGRAMS:
        speaker = programs.speakers[program]
        for file, text in manual.pages(manual.help_of(speaker), version, epoch).items():
            tree.write(f"share/man/man{file[-1]}/{file}", text)
        scripts = manual.completions(speaker)
        tree.write(f"share/bash-completion/completions/{program}", scripts["bash"])
        tree.write(f"share/zsh/site-functions/_{program}", scripts["zsh"])
        tree.write(f"share/fish/vendor_completions.d/{program}.fish", scripts["fish"])
    here = product.ROOT / "packaging"
    for source in ("systemd/sealring-server.service", "systemd/sealring-backup.service", "systemd/sealring-backup.timer",
                   "systemd/sealring-uhid.socket", "systemd/sealring-uhid@.service", "systemd-user/sealring-agent.socket", "systemd-user/sealring-agent.service",
                   "sysusers.d/sealring-server.conf", "tmpfiles.d/sealring-server.conf", "etc/server.conf"):
        tree.copy(here / source, f"share/sealring/{source}")
    tree.write("README", INSTALL.format(version=version))
    tree.copy(product.ROOT / "LICENSE", "LICENSE")
    tree.copy(product.ROOT / "docs/NOTICE.md", "share/doc/sealring/NOTICE.md")
    for title, text in licences.texts().items():
        tree.write(f"share/doc/sealring/licences/{title}", text)
    for package, text in licences.of_libraries(libraries.values()).items():
        tree.write(f"share/doc/sealring/licences/debian-{package}.txt", text)

    file = pathlib.Path(output) / f"{name}.tar.gz"
    file.write_bytes(archive.gzipped(archive.tar(tree.folder, epoch, prefix=f"{name}/"), epoch))
    return file


def opened(programs):
    """The libraries that `sealring` opens; none for the stand-ins of the short tests, which speak to no TPM."""
    if not any(n.startswith("libtss2") for n in programs.needed("sealring")):
        return []
    found = [pathlib.Path("/usr/lib/x86_64-linux-gnu") / name for name in OPENED]
    if missing := [str(path) for path in found if not path.exists()]:
        raise product.PackagingError(f"{', '.join(missing)} is missing. Run scripts/bootstrap --package.")
    return found


def closure(files, of_the_system=OF_THE_SYSTEM):
    """soname to file of all shared libraries that `files` load, save the system's. Sorted."""
    found = {}
    for file in files:
        if ".so" in file.name and not of_the_system.match(file.name):
            found[file.name] = file
        for soname, path in re.findall(r"^\s*(\S+) => (\S+)", product.run("ldd", str(file)), re.MULTILINE):
            if path == "not":
                raise product.PackagingError(f"{file.name} needs {soname}, which is not on this machine.")
            if not of_the_system.match(soname):
                found[soname] = pathlib.Path(path)
    return dict(sorted(found.items()))
