"""Man pages and completions from the programs' own help (`--experimental-dump-help`, `--generate-completion-script`)."""
import datetime
import json
import re

import product

SHELLS = ("bash", "zsh", "fish")
SECTIONS = {"sealring": "1", "sealring-server": "8"}

ENVIRONMENT = {
    "sealring": [
        ("SEALRING_HOME", "Folder of this device's state. Default: $XDG_DATA_HOME/sealring, else ~/.local/share/sealring."),
        ("SEALRING_TCTI", "The TPM, as tpm2-tss names it, such as device:/dev/tpmrm0."),
        ("SEALRING_ADMIN_PASSWORD", "The administrator's password, for a server's first start and for commands of administration."),
        ("NO_COLOR", "If set, no colours."),
    ],
    "sealring-server": [
        ("SEALRING_ADMIN_PASSWORD", "Password of the administrator amAdmin, read at a data folder's first start only."),
    ],
}

FILES = {
    "sealring-server": [
        ("/etc/sealring/server.conf", "Options and environment of the systemd service."),
        ("/etc/sealring/journeys", "Exported journeys, by realm."),
        ("/var/lib/sealring", "Database, ledger, events and keys of the service. They belong together in a backup."),
    ]
}


def help_of(program):
    """The tree of commands that a program describes."""
    dump = json.loads(product.run(str(program), "--experimental-dump-help"))
    if dump.get("serializationVersion", 0) != 0:
        raise product.PackagingError("The help's JSON has another form than packaging/manual.py knows.")
    return dump["command"]


def completions(program):
    """The completion scripts by shell."""
    scripts = {shell: product.run(str(program), "--generate-completion-script", shell) for shell in SHELLS}
    # bash's is sourced, never run: Debian wants no interpreter line in it.
    return {shell: script.removeprefix("#!/bin/bash\n").lstrip("\n") for shell, script in scripts.items()}


def commands(command, above=()):
    """(path, command) of a command and all below it that a person is shown."""
    path = (*above, command["commandName"])
    yield path, command
    for below in command.get("subcommands", []):
        # `help` is ArgumentParser's own, and says what the pages say.
        if below.get("shouldDisplay", True) and below["commandName"] != "help":
            yield from commands(below, path)


def pages(command, version, epoch):
    """Every page of a program: file name to roff."""
    section = SECTIONS[command["commandName"]]
    everything = list(commands(command))
    return {
        f"{'-'.join(path)}.{section}": page(path, item, section, version, epoch, everything)
        for path, item in everything
    }


def page(path, command, section, version, epoch, everything):
    date = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%d")
    name = "-".join(path)
    lines = [
        f'.TH "{escape(name.upper())}" "{section}" "{date}" "Sealring {escape(version)}" "Sealring"',
        # No hyphenation, no stretching of lines: names and options are to be copied.
        ".nh", ".ad l",
        ".SH NAME", f"{escape(name)} \\- {marked(summary(command))}",
        ".SH SYNOPSIS", *synopsis(path, command),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    below = [(p, c) for p, c in everything if p[:-1] == path]
    if below:
        lines.append(".SH COMMANDS")
        for other, item in below:
            lines += [".TP", f"\\fB{escape(other[-1])}\\fR", marked(summary(item)) + " See",
                      f".BR {escape('-'.join(other))} ({section})."]
    lines += options(command)
    if len(path) == 1:
        lines += table("ENVIRONMENT", ENVIRONMENT.get(path[0], []))
        lines += table("FILES", FILES.get(path[0], []))
    lines += [".SH EXIT STATUS", "0: done. 1: refused or failed; the reason is on standard error. 64: wrong usage."]
    related = [p for p, _ in everything if p == path[:-1] or (p[:-1] == path[:-1] and p != path)]
    if related:
        names = [f".BR {escape('-'.join(p))} ({section})" for p in related]
        lines += [".SH SEE ALSO", *[n + "," for n in names[:-1]], names[-1]]
    return "\n".join(lines) + "\n"


def summary(command):
    return command.get("abstract") or command["commandName"]


def synopsis(path, command):
    words = [f"\\fB{escape(' '.join(path))}\\fR"]
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    if any(a["kind"] != "positional" for a in shown):
        words.append("[\\fIoptions\\fR]")
    for argument in shown:
        if argument["kind"] == "positional":
            text = f"\\fI{escape(argument.get('valueName', 'value'))}\\fR" + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{text}]" if argument["isOptional"] else text)
        elif not argument["isOptional"]:
            words.append(f"{label(argument)}")
    if any(c["commandName"] != "help" for c in command.get("subcommands", [])):
        words.append("\\fIcommand\\fR")
    return [" ".join(words)]


def options(command):
    """The arguments and options, in the groups that the help has."""
    groups = {}
    for argument in command.get("arguments", []):
        if argument.get("shouldDisplay", True):
            standard = "Arguments" if argument["kind"] == "positional" else "Options"
            groups.setdefault(argument.get("sectionTitle") or standard, []).append(argument)
    lines = []
    for title, arguments in groups.items():
        lines.append(f'.SH "{escape(title.upper())}"')
        for argument in arguments:
            lines += [".TP", label(argument), described(argument)]
    return lines


def label(argument):
    value = escape(argument.get("valueName", "value"))
    if argument["kind"] == "positional":
        return f"\\fI{value}\\fR"
    names = []
    for name in argument.get("names", []):
        dashes = {"long": "\\-\\-", "short": "\\-", "longWithSingleDash": "\\-"}[name["kind"]]
        names.append(f"\\fB{dashes}{escape(name['name'])}\\fR")
    return ", ".join(names) + (f" \\fI{value}\\fR" if argument["kind"] == "option" else "")


def described(argument):
    text = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")])) or "No more is known of it."
    values = argument.get("allValueStrings") or argument.get("allValues")
    if values:
        text += f" One of {', '.join(values)}."
    if argument.get("defaultValue") not in (None, ""):
        text += f" Default: {argument['defaultValue']}."
    return marked(text)


def table(title, rows):
    lines = [f".SH {title}"] if rows else []
    for name, text in rows:
        lines += [".TP", f"\\fB{escape(name)}\\fR", marked(text)]
    return lines


def paragraphs(text):
    """The help's discussion: empty lines part paragraphs, indented lines stay as they are."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if lines:
            lines.append(".PP")
        rows = block.split("\n")
        if all(r.startswith("  ") for r in rows):
            lines += [".nf", *[escape(r, start=True) for r in rows], ".fi"]
        else:
            lines.append(marked(" ".join(r.strip() for r in rows)))
    return lines


def marked(text):
    """Text of the help, with what it has between backquotes in bold."""
    parts = re.split(r"`([^`]+)`", " ".join(text.split()))
    return "".join(
        f"\\fB{escape(p)}\\fR" if i % 2 else escape(p, start=i == 0) for i, p in enumerate(parts))


def escape(text, start=False):
    """Plain text for roff: hyphens stay hyphens that can be copied, and nothing is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq")
    text = text.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if start and text[:1] in (".", "'") else text
