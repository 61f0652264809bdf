#!/usr/bin/python3
"""Judges what scripts/package makes, from small stand-ins for the programs and the help of the programs that were built.

Usage: packages.py FOLDER   (with the programs sealring and sealring-server)
Prints one line per check; exits 1 when one failed. Building and installing real ones takes an hour: scripts/package --check.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

import archive
import build
import debian
import licences
import manual
import oci_check
import product
import startup

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
EPOCH = 1_750_000_000
UNIT = ROOT / "packaging/systemd/sealring-server.service"
BACKUP = ROOT / "packaging/systemd/sealring-backup.service"

#: What belongs to devices and people before them: TPM, PAM, fingerprint (over D-Bus), camera and pictures, and the client's HTTP.
OF_DEVICES = re.compile(r"lib(tss2|pam|systemd|dbus|zbar|png|v4l|X11|curl|FoundationNetworking)")

failures = 0


def check(condition, text, shown=""):
    global failures
    print(("ok    " if condition else "FAIL  ") + text + (f"\n{shown}" if shown and not condition else ""), flush=True)
    if not condition:
        failures += 1


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def stand_ins(folder):
    """Programs of a few lines that load SQLite, as the real ones do."""
    folder.mkdir()
    source = folder / "stand-in.c"
    source.write_text(
        "#include <stdio.h>\nint sqlite3_libversion_number(void);\n"
        'int main(void) { printf("%d\\n", sqlite3_libversion_number()); return 0; }\n')
    for name in product.PROGRAMS:
        made = run("clang", "-O1", "-o", str(folder / name), str(source), "-lsqlite3")
        assert made.returncode == 0, made.stdout
    return folder


def server_loads_nothing_of_devices():
    loaded = run("ldd", str(PROGRAMS / "sealring-server")).stdout
    found = [line for line in loaded.splitlines() if OF_DEVICES.search(line)]
    check("libsqlite3" in loaded and not found, "sealring-server loads no library for devices", "\n".join(found))
    everything = run("ldd", str(PROGRAMS / "sealring")).stdout
    check(OF_DEVICES.search(everything) is not None, "and sealring does, so that this check can fail")
    pictures = [line for line in everything.splitlines() if re.search(r"lib(zbar|png|jpeg|v4l|X11|xcb)", line)]
    check(not pictures, "sealring opens what reads pictures only when it reads one", "\n".join(pictures))
    for name in product.PROGRAMS:
        newest = product.newest_glibc(PROGRAMS / name)
        check((2, 17) < newest <= (2, 36), f"{name} asks for glibc {'.'.join(map(str, newest))}, at most 2.36")


def health_is_known(work):
    data = work / "data"
    data.mkdir(mode=0o700)
    server = subprocess.Popen(
        [str(PROGRAMS / "sealring-server"), "serve", "--port", "0", "--data", str(data)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "SEALRING_ADMIN_PASSWORD": "Correct horse 1"})
    try:
        address = server.stdout.readline().split()[-1].removesuffix("/am")
        asked = [str(PROGRAMS / "sealring-server"), "health", "--url", f"{address}/health"]
        well = run(*asked)
        check((well.returncode, well.stdout) == (0, "healthy\n"), "sealring-server serves, and says that it is healthy", well.stdout)
        away = run(*asked[:-1], f"{address}/nothing")
        check(away.returncode == 1 and "404" in away.stdout, "another address is not", away.stdout)
        server.send_signal(signal.SIGHUP)
        still = run(*asked)
        check(still.returncode == 0 and server.poll() is None, "SIGHUP leaves a server without TLS running", still.stdout)
    finally:
        server.terminate()
        server.wait()
    unread = run(*asked, "--ca-file", str(data))
    check(unread.returncode == 1 and "--ca-file" in unread.stdout, "a file that has no certificates is named", unread.stdout)
    ended = run(*asked)
    check(ended.returncode == 1 and "does not answer" in ended.stdout and "errno" not in ended.stdout,
          "a server that has ended does not answer, said in our words", ended.stdout)


def health_of_a_private_authority(work):
    chain, key = work / "chain.pem", work / "key.pem"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(chain))
    key.chmod(0o600)
    server = subprocess.Popen(
        [str(PROGRAMS / "sealring-server"), "serve", "--port", "0", "--data", str(work / "tls"),
         "--tls-certificate", str(chain), "--tls-key", str(key)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "SEALRING_ADMIN_PASSWORD": "Correct horse 1"})
    try:
        port = server.stdout.readline().split()[-1].removesuffix("/am").rsplit(":", 1)[1]
        asked = [str(PROGRAMS / "sealring-server"), "health", "--url", f"https://localhost:{port}/health"]
        unknown, known = run(*asked), run(*asked, "--ca-file", str(chain))
        check(unknown.returncode == 1 and "--ca-file" in unknown.stdout, "a private authority's certificate names the option", unknown.stdout)
        check((known.returncode, known.stdout) == (0, "healthy\n"), "and with the authority's file the server is healthy", known.stdout)
        named = run("env", f"SEALRING_CA_FILE={chain}", *asked)
        check((named.returncode, named.stdout) == (0, "healthy\n"), "or with the file that the environment names", named.stdout)
    finally:
        server.terminate()
        server.wait()


def unit_is_confined():
    def exposure(unit):
        said = run("systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)).stdout
        found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)
        return float(found[1]) if found else 10.0

    for unit in (UNIT, BACKUP):
        level = exposure(unit)
        check(level < 2.0, f"the exposure of {unit.name} is {level}, below 2.0")
    with tempfile.TemporaryDirectory() as folder:
        open_unit = pathlib.Path(folder) / "open.service"
        lines = UNIT.read_text().splitlines()
        open_unit.write_text("\n".join(l for l in lines if not re.match(r"(Capab|Restrict|Protect|Private|SystemCall)", l)))
        check(exposure(open_unit) > 2.0, "and without its restrictions it would be more")
    text = UNIT.read_text()
    options = re.search(r"ExecStart=/usr/bin/sealring-server (.*)", text)[1].replace("$SEALRING_SERVER_OPTIONS", "")
    settings = (ROOT / "packaging/etc/server.conf").read_text()
    options += " " + re.search(r"^SEALRING_SERVER_OPTIONS=(.*)$", settings, re.MULTILINE)[1]
    parsed = run(str(PROGRAMS / "sealring-server"), *options.split(), "--help")
    check(parsed.returncode == 0, "the unit and server.conf use options that the program has", parsed.stdout)
    known = run(str(PROGRAMS / "sealring-server"), "serve", "--help").stdout
    unknown = [o for o in re.findall(r"--[a-z-]+", options) if o not in known]
    check(not unknown, "each of them is in its help", " ".join(unknown))


def sockets_are_not_stopped_by_users():
    """A unit of systemd's with Accept=yes fails for good when somebody connects 200 times in two seconds, unless it says otherwise."""
    sockets = [s for s in sorted((ROOT / "packaging/systemd").glob("*.socket")) if "\nAccept=yes\n" in s.read_text()]
    check(len(sockets) == 3, "three sockets of root's take connections", " ".join(s.name for s in sockets))
    for socket in sockets:
        lines = socket.read_text().splitlines()
        check({"TriggerLimitIntervalSec=0", "TriggerLimitBurst=0"} <= set(lines) and any(re.fullmatch(r"MaxConnections=\d+", l) for l in lines),
              f"{socket.name} is limited by the number of its connections, and by nothing that stops it")


def old_backups_go_and_others_stay(work):
    """The commands of the nightly unit, as systemd hands them to the shell, on a folder of their own."""
    text = BACKUP.read_text().replace("\\\n", "").replace("$$", "$").replace("%%", "%")
    written, removed = (re.search(rf"^{name}=/bin/sh -c '(.*)'$", text, re.MULTILINE)[1] for name in ("ExecStart", "ExecStartPost"))
    folder = work / "backups"
    (folder / "elsewhere").mkdir(parents=True)
    ages = {"today.backup": 0, "29.backup": 29, "31.backup": 31, "400.backup": 400, "400.key": 400, "elsewhere/400.backup": 400}
    for name, days in ages.items():
        (folder / name).write_text(name)
        os.utime(folder / name, (time.time() - days * 86400,) * 2)

    def left(days):
        done = run("sh", "-c", removed.replace("/var/lib/sealring-backups", str(folder)), env={"PATH": os.environ["PATH"], "RETAIN_DAYS": days})
        return done.returncode, sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())

    everything = sorted(ages)
    refused = [left(days) for days in ("", "0", "abc", "30d", "-1")]
    check(all(code != 0 and names == everything for code, names in refused), "without a number of days none goes", str(refused))
    shown = left("30")
    check(shown == (0, ["29.backup", "400.key", "elsewhere/400.backup", "today.backup"]),
          "backups of more than 30 days go, and nothing else", str(shown))
    recorder = work / "backup-program"
    recorder.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    recorder.chmod(0o755)
    said = run("sh", "-c", written.replace("/usr/bin/sealring", str(recorder)),
               env={"PATH": os.environ["PATH"], "BACKUP_OPTIONS": "--events --database postgres://db1/sealring"}).stdout.splitlines()
    check(said[:6] == ["backup", "--data", "/var/lib/sealring", "--events", "--database", "postgres://db1/sealring"]
          and said[6] == "--output" and re.fullmatch(r"/var/lib/sealring-backups/\d{4}-\d\d-\d\dT\d{6}Z\.backup", said[7]),
          "a backup is written under a name of its own, with the options of backup.conf", str(said))
    known = run(str(PROGRAMS / "sealring"), "backup", "--help").stdout + run(str(PROGRAMS / "sealring"), "backup", "create", "--help").stdout
    check(all(option in known for option in said if option.startswith("--")), "each option is in the program's help")


def man_pages_are_complete():
    for name in product.PROGRAMS:
        program = PROGRAMS / name
        tree = manual.help_of(program)
        pages = manual.pages(tree, product.version(), EPOCH)
        commands = list(manual.commands(tree))
        section = manual.SECTIONS[name]
        check(
            set(pages) == {f"{'-'.join(path)}.{section}" for path, _ in commands} and len(pages) == len(commands),
            f"{name}: each of {len(commands)} commands has a man page")
        missing, unlike = [], []
        for path, command in commands:
            page = pages[f"{'-'.join(path)}.{section}"]
            for argument in command.get("arguments", []):
                if argument.get("shouldDisplay", True):
                    missing += [f"{path}: {n['name']}" for n in argument.get("names", [])
                                if manual.escape(n["name"]) not in page]
            help_text = run(str(program), *path[1:], "--help").stdout
            # A group's help has the options of what it does by itself, too; those are in that command's page.
            near = page + "".join(pages[f"{'-'.join(p)}.{section}"] for p, _ in commands if p[:-1] == path)
            unlike += [o for o in re.findall(r"--[a-z0-9-]+", help_text) if manual.escape(o) not in near]
        check(not missing and not unlike, f"{name}: each option is in its page", str(missing[:5] + unlike[:5]))
        with tempfile.TemporaryDirectory() as folder:
            for file, text in pages.items():
                (pathlib.Path(folder) / file).write_text(text)
            linted = run("mandoc", "-T", "lint", "-W", "warning", *[str(p) for p in pathlib.Path(folder).iterdir()])
            check(linted.returncode == 0, f"{name}: mandoc finds nothing wrong with them", linted.stdout[:2000])
        check(all(f"Sealring {manual.escape(product.version())}" in p for p in pages.values()), f"{name}: pages say the version")


def completions_complete():
    for name in product.PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            for shell, script in manual.completions(PROGRAMS / name).items():
                file = pathlib.Path(folder) / shell
                file.write_text(script)
                read = run(shell, "-n", str(file))
                check(read.returncode == 0 and script, f"{name}: {shell} reads its completions", read.stdout)
            asked = (f"source {folder}/bash; COMP_WORDS=({name} ser); COMP_CWORD=1; COMP_LINE='{name} ser'; COMP_POINT=${{#COMP_LINE}};"
                     f" _{name} {name} ser {name}; echo \"${{COMPREPLY[@]}}\"")
            offered = run("bash", "-c", asked, env={**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}).stdout
            check(offered.split() == ["serve"], f"{name}: bash completes 'ser' to 'serve'", offered)


def same_input_gives_the_same_bytes(first, work):
    again = work / "again"
    copies = work / "copies"
    shutil.copytree(work / "stand-ins", copies)
    for path in copies.iterdir():
        os.utime(path, (1, 1))
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); import build, product; os.umask(0o077); "
        "build.build(product.Programs(sys.argv[2], sys.argv[3]), sys.argv[4], int(sys.argv[5]))")
    made = run(
        sys.executable, "-c", code, str(ROOT / "packaging"), str(copies), str(PROGRAMS), str(again), str(EPOCH), cwd="/",
        env={"PATH": os.environ["PATH"], "TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7"})
    check(made.returncode == 0, "a second build works elsewhere", made.stdout)

    def contents(folder):
        return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    one, two = contents(first), contents(again)
    different = [str(name) for name in one if one[name] != two.get(name)]
    check(one.keys() == two.keys() and not different, f"it has the same bytes in all {len(one)} files", " ".join(different))


def debian_packages(output):
    version = product.debian_version(product.version())
    for name in product.PROGRAMS:
        file = next(output.glob(f"{name}_*.deb"))
        fields = dict(
            line.split(": ", 1) for line in run("dpkg-deb", "-f", str(file)).stdout.splitlines() if not line.startswith(" "))
        check((fields["Package"], fields["Version"]) == (name, version), f"{file.name} has the source's version")
        if name == "sealring":
            check("libzbar0" in fields["Recommends"], "sealring recommends what it opens by name")
        check("libjavascriptcoregtk-4.1-0" in fields["Recommends"], f"{name} recommends the engine of journeys' scripts")
        check("libsqlite3-0" in fields["Depends"] and "libc6" in fields["Depends"], f"{name} depends on what it loads")
        listed = run("dpkg-deb", "-c", str(file)).stdout.splitlines()
        check(all(line.split()[1] == "root/root" for line in listed), f"{name}: every file is root's")
        paths = {line.split()[5].removeprefix(".") for line in listed}
        wanted = {f"/usr/bin/{name}", f"/usr/share/bash-completion/completions/{name}",
                  f"/usr/share/zsh/vendor-completions/_{name}", f"/usr/share/fish/vendor_completions.d/{name}.fish",
                  f"/usr/share/doc/{name}/copyright", f"/usr/share/doc/{name}/licences.txt.gz"}
        service = {"/lib/systemd/system/sealring-server.service", "/lib/systemd/system/sealring-backup.service",
                   "/lib/systemd/system/sealring-backup.timer", "/usr/lib/sysusers.d/sealring-server.conf",
                   "/usr/lib/tmpfiles.d/sealring-server.conf", "/etc/sealring/server.conf"}
        check(wanted <= paths, f"{name} has program, completions and licences", str(wanted - paths))
        check((service <= paths) == (name == "sealring-server"), f"{name}: the service is in the server's package alone")
        check(not [p for p in paths if p.startswith("/var")], f"{name} owns no data: removing it removes none")
    both = [
        {line.split()[5] for line in run("dpkg-deb", "-c", str(next(output.glob(f"{n}_*.deb")))).stdout.splitlines()
         if not line.startswith("d")} for n in product.PROGRAMS]
    check(not both[0] & both[1], "both packages can be installed beside each other", str(both[0] & both[1]))
    secret = run("dpkg-deb", "-c", str(next(output.glob("sealring-server_*.deb")))).stdout
    check("-rw------- root/root" in next(l for l in secret.splitlines() if "server.conf" in l and "/etc/" in l),
          "the file that may hold a password is root's alone")
    if lintian := shutil.which("lintian"):
        said = run(lintian, "--no-cfg", "--allow-root", "--fail-on", "error,warning", *map(str, sorted(output.glob("*.deb"))))
        check(said.returncode == 0, "lintian has no error and no warning", said.stdout)


def maintainer_scripts_can_be_repeated(work):
    """postinst, prerm and postrm, in a root of their own, with systemd's helpers as recorders."""
    root, tools, log = work / "root", work / "tools", work / "calls"
    tools.mkdir()
    (root / "var/lib/sealring").mkdir(parents=True)
    (root / "var/lib/sealring/sealring.sqlite").write_text("data")
    (root / "etc/sealring/journeys/alpha").mkdir(parents=True)
    for tool in ("systemd-sysusers", "systemd-tmpfiles", "systemctl", "deb-systemd-invoke"):
        (tools / tool).write_text(f'#!/bin/sh\necho {tool} "$@" >> {log}\n')
        (tools / tool).chmod(0o755)
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "DPKG_ROOT": str(root)}

    def script(name, *arguments):
        return run("sh", str(ROOT / f"packaging/debian/sealring-server.{name}"), *arguments, env=environment)

    first, second = script("postinst", "configure", ""), script("postinst", "configure", "0.1.0")
    calls = log.read_text().splitlines()
    check(first.returncode == second.returncode == 0 and calls[:2] == calls[2:], "postinst can run again", str(calls))
    check("systemctl enable --now" in first.stdout and not second.stdout, "it says how to start, the first time only")
    check(script("prerm", "remove").returncode == 0, "prerm works")
    removed = [script("postrm", "remove") for _ in range(2)]
    purged = [script("postrm", "purge") for _ in range(2)]
    check(all(r.returncode == 0 for r in removed + purged), "postrm can run again")
    check((root / "var/lib/sealring/sealring.sqlite").exists(), "purging leaves the data")
    check(all("/var/lib/sealring" in r.stdout for r in removed + purged), "and says so")
    check((root / "etc/sealring/journeys/alpha").exists(), "purging leaves journeys that somebody put there")


def portable_archive(output, work):
    file = next(output.glob("*.tar.gz"))
    with tarfile.open(file) as packed:
        names = packed.getnames()
        check(names == sorted(names, key=str.encode), "the archive is sorted")
        check(all(m.uid == m.gid == 0 and m.mtime == EPOCH for m in packed.getmembers()), "of root, and of one time")
    (work / "portable").mkdir()
    run("tar", "-xzf", str(file), "-C", str(work / "portable"))
    top = work / "portable" / names[0].split("/")[0]
    check({n.split("/")[0] for n in names} == {f"sealring-{product.version()}-linux-x86_64"}, "it unpacks into one folder")
    check((top / "lib/libsqlite3.so.0").is_file(), "it brings the libraries that are not everywhere")
    check(not [p.name for p in (top / "lib").iterdir() if p.name.startswith(("libc.so", "ld-linux", "libpam.so"))],
          "and leaves glibc and PAM to the system")
    link = work / "link"
    link.symlink_to(top / "bin/sealring")
    loaded = run("ldd", str(top / "bin/sealring")).stdout
    check(f"{top}/bin/../lib/libsqlite3.so.0" in loaded, "programs load them from beside themselves", loaded)
    check(run(str(link)).returncode == 0, "also when called by a link")
    check((top / "share/doc/sealring/licences/debian-libsqlite3-0.txt").is_file(), "their licences are there")


def images(output, work):
    layout = next(output.glob("*-oci"))
    try:
        lines = oci_check.check(layout)
        check(len(lines) == 2, "the image layout's digests, sizes and promises hold")
    except oci_check.Broken as broken:
        check(False, "the image layout's digests, sizes and promises hold", str(broken))
    blobs = sorted((layout / "blobs/sha256").iterdir(), key=lambda p: p.stat().st_size)
    found = 0
    for number, source in enumerate(blobs):
        copy = work / f"changed-{number}"
        shutil.copytree(layout, copy)
        target = copy / "blobs/sha256" / source.name
        content = bytearray(target.read_bytes())
        content[len(content) // 2] ^= 1
        target.write_bytes(content)
        try:
            oci_check.check(copy)
        except oci_check.Broken:
            found += 1
        shutil.rmtree(copy)
    check(found == len(blobs), f"one changed bit is found in each of {len(blobs)} blobs")
    if skopeo := shutil.which("skopeo"):
        for name in product.PROGRAMS:
            said = run(skopeo, "inspect", "--config", f"oci:{layout}:{name}-{product.version()}")
            config = json.loads(said.stdout)["config"] if said.returncode == 0 else {}
            check(config.get("User") == "65532:65532", f"skopeo reads {name}: not root", said.stdout)
        copied = run(skopeo, "--insecure-policy", "copy", f"oci:{layout}:sealring-server-{product.version()}", f"dir:{work}/copied")
        check(copied.returncode == 0, "skopeo copies the image, and verifies it on the way", copied.stdout)


def one_version():
    for name in product.PROGRAMS:
        said = run(str(PROGRAMS / name), "--version").stdout.strip()
        check(said == f"{name} {product.version()}", f"{name} --version says the source's version")
    text = (ROOT / "docs/migration.md").read_text()
    told = re.findall(r'sealring\.git", \.upToNextMinor\(from: "([^"]+)"\)', text)
    check(told == [product.version()], "docs/migration.md asks for this version", str(told))
    check(product.debian_version("1.0.0-rc.1") == "1.0.0~rc.1", "a candidate sorts before its release in Debian")


def licences_are_named():
    check(licences.unnamed() == [], "docs/NOTICE.md names every package that is linked", str(licences.unnamed()))
    check("swift-nio" in licences.unnamed(notice="| [grdb.swift](x) | MIT |"), "and one that is not named is found")


def a_start_is_laid_out(work):
    counts = ("fl=(1) main.c\nfn=(2) main\ncfn=(7) $s8sealring5serve\ncalls=1 0\nfn=(7)\nfn=(3) 0x0000000000003410\n"
              "fn=(5) walk'2\ncfn=(4) walk\nfn=(7)\n")
    check(startup.names(counts) == ["main", "walk", "$s8sealring5serve"], "functions come in the order of their first call",
          str(startup.names(counts)))
    broken = work / "broken"
    broken.write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
    broken.chmod(0o755)
    try:
        with startup._serving([broken], work):
            pass
        said = "nothing"
    except product.PackagingError as error:
        said = str(error)
    check("broken does not start: no room" in said, "a server that does not start is named, with its words", said)


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary).resolve()
    one_version()
    licences_are_named()
    a_start_is_laid_out(work)
    server_loads_nothing_of_devices()
    health_is_known(work)
    health_of_a_private_authority(work)
    unit_is_confined()
    sockets_are_not_stopped_by_users()
    old_backups_go_and_others_stay(work)
    man_pages_are_complete()
    completions_complete()
    maintainer_scripts_can_be_repeated(work)
    output = work / "packages"
    build.build(product.Programs(stand_ins(work / "stand-ins"), PROGRAMS), output, EPOCH)
    same_input_gives_the_same_bytes(output, work)
    debian_packages(output)
    portable_archive(output, work)
    images(output, work)

print("all checks passed" if failures == 0 else f"{failures} checks failed")
sys.exit(0 if failures == 0 else 1)
