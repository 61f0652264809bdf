"""A flame graph of `perf script` output as SVG: where a program's processor time goes.

Usage: perf record -F 997 -g -p PROCESS -o FILE -- sleep 10; python3 Benchmarks/report/flamegraph.py FILE "Title" > graph.svg
Widths are shares of all samples; what stands on top of a frame was called by it. Frames below 0.3 % are left out.
"""
import re
import subprocess
import sys
from xml.sax.saxutils import escape

# What the kernel, which keeps the last 15 characters, calls libdispatch's and NIO's threads.
THREADS = [("qos.overcommit", "queues: SQLite, PostgreSQL"), ("default-qos", "Swift tasks"), ("NIO-", "network"), ("SGLTN-TP", "files")]
COLOURS = {"kernel": "#d98e73", "sqlite": "#8fb573", "swift": "#9aa7c7", "ours": "#5b93d6", "other": "#c9b36b"}


def samples(path):
    """(thread, [(function, library)…] from the outermost on) of each sample."""
    program = subprocess.Popen(["perf", "script", "-i", path, "-F", "comm,ip,sym,dso"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, errors="replace")
    thread, frames = None, []
    for line in program.stdout:
        line = line.rstrip("\n")
        if not line:
            if thread:
                yield thread, frames[::-1]
            thread, frames = None, []
        elif thread is None:
            thread = next((name for part, name in THREADS if part in line), line.strip())
        else:
            match = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line)
            if match:
                frames.append((match.group(1).split("+0x")[0], match.group(2).split("/")[-1].strip("[]")))


def demangled(names):
    names = sorted(names)
    try:
        done = subprocess.run(["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), text=True,
                              capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return dict(zip(names, names))
    return dict(zip(names, done.stdout.splitlines()))


def short(name):
    """A function's name as people say it: without what surrounds it."""
    name = re.sub(r"^(\(\d+\) (suspend resume|await resume) partial function for |function signature specialization <.*?> of "
                  r"|generic specialization <.*?> of |partial apply forwarder for |merged |protocol witness for |specialized )+",
                  "", name)
    return name[:120]


def kind(name, library):
    if library.startswith("kernel"):
        return "kernel"
    if "sqlite" in library:
        return "sqlite"
    if library.startswith(("libswift", "libdispatch", "libFoundation")):
        return "swift"
    if re.search(r"Journey|SharedCommit|Evidence|DeviceProof|Sealing|StrictJSON|Endpoint|ServerResponder|Postgres|JOSE", name):
        return "ours"
    return "other"


class Node:
    def __init__(self, name="", library=""):
        self.name, self.library, self.count, self.children = name, library, 0, {}


def tree(stacks):
    root = Node("all")
    for thread, frames in stacks:
        root.count += 1
        node = root
        for name, library in [(thread, "")] + frames:
            if name == "[unknown]":
                name = library
            child = node.children.setdefault((name, library), Node(name, library))
            if child is node:
                continue
            child.count += 1
            node = child
    return root


def draw(root, title, width=1200, row=17):
    names = set()

    def collect(node):
        names.add(node.name)
        for child in node.children.values():
            collect(child)

    collect(root)
    plain = demangled(names)
    rects, deepest = [], [0]

    def place(node, left, depth):
        share = node.count / root.count
        if share < 0.003:
            return
        deepest[0] = max(deepest[0], depth)
        rects.append((node, left, depth, share))
        for child in sorted(node.children.values(), key=lambda child: -child.count):
            place(child, left, depth + 1)
            left += child.count / root.count

    place(root, 0, 0)
    height = (deepest[0] + 1) * row + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
             '<style>text { font: 10px system-ui, sans-serif } rect { stroke: #fff; stroke-width: 0.4 }</style>',
             f'<rect width="{width}" height="{height}" fill="#fff"/>',
             f'<text x="6" y="18" style="font-size:13px;font-weight:600">{escape(title)}: {root.count} samples</text>']
    for node, left, depth, share in rects:
        name = short(plain.get(node.name, node.name))
        top = height - (depth + 1) * row - 4
        colour = COLOURS[kind(name, node.library)] if depth else "#dddddd"
        parts.append(f'<g><title>{escape(name)}: {share * 100:.1f} %</title><rect x="{left * width:.1f}" y="{top}" '
                     f'width="{share * width:.1f}" height="{row - 1}" fill="{colour}"/>')
        room = int(share * width / 5.4)
        if room > 4:
            parts.append(f'<text x="{left * width + 3:.1f}" y="{top + 12}">{escape(name[:room])}</text>')
        parts.append("</g>")
    return "\n".join(parts + ["</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(draw(tree(samples(sys.argv[1])), sys.argv[2]), end="")
