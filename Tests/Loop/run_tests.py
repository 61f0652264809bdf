"""Runs the tests of a build and says how they went: failures again at the end, the slowest tests, and the runner's summary as the last line.

    run_tests.py [--brief] FILE COMMAND…     FILE keeps the whole output; COMMAND is a test program, or `swift test`.
                                             With --brief only what failed is printed
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

from durations import Run

#: A few at a time: all at once, tests that wait for processes and people's time limits would starve each other on two cores.
WIDTH = 4

SLOWEST = 20

#: How many seconds nothing is printed before the run is taken to hang; the longest tests are quiet for some minutes.
SILENCE = 900

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def slowest(found, count=SLOWEST):
    """The lines about the slowest tests; `found` has the seconds and the cases of each, by name."""
    rows = sorted(found.items(), key=lambda row: -row[1][0])[:count]
    if not rows:
        return []
    total = sum(seconds for seconds, _ in found.values())
    lines = [f"The slowest {len(rows)} of {len(found)} tests, of {total:.0f} seconds in all:"]
    for name, (seconds, cases) in rows:
        lines.append(f"{seconds:8.2f} s  {name}" + (f" ({cases} cases)" if cases > 1 else ""))
    return lines


def failures(lines):
    """Each failure again, at most 40 lines of it, where whoever sees only the end of the output finds it."""
    left, kept = 0, []
    for line in lines:
        if line.startswith(("◇", "✔", "✘ Suite", "✘ Test run")):
            left = 0
        elif line.startswith("✘"):
            left = 40
        if left > 0:
            kept.append(line[:2000])
        left -= 1
    return kept


def summary(lines):
    """The runner's last word: the line that says how many tests passed or failed; the last line when there is none."""
    for line in reversed(lines):
        if re.match("[✔✘] Test run with", line):
            return line
    return lines[-1] if lines else "The tests printed nothing."


class Watched(subprocess.Popen):
    """A command in a session of its own, which is killed with all that it started when it prints nothing for too long."""

    def __init__(self, command):
        super().__init__(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace", start_new_session=True)
        self.hung = False

    def give_up(self):
        self.hung = True
        self.kill_all()

    def kill_all(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def printed(process):
    """The lines that `process` prints, without colours."""
    while True:
        timer = threading.Timer(SILENCE, process.give_up)
        timer.start()
        try:
            line = process.stdout.readline()
        except KeyboardInterrupt:
            process.kill_all()
            raise
        finally:
            timer.cancel()
        if not line:
            return
        yield COLOUR.sub("", line.rstrip("\n"))


def main(arguments):
    brief = arguments[0] == "--brief"
    output, *command = arguments[1:] if brief else arguments
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events")
        command += [
            "--experimental-maximum-parallelization-width", str(WIDTH), "--event-stream-output-path", events, "--event-stream-version", "0"]
        lines = []
        with open(output, "w", encoding="utf-8") as kept, Watched(command) as process:
            for line in printed(process):
                kept.write(line + "\n")
                lines.append(line)
                if not brief:
                    print(line, flush=True)
        code = process.returncode
        try:
            with open(events, encoding="utf-8", errors="replace") as stream:
                run = Run(stream)
        except OSError:
            run = Run([])
        found = run.durations(WIDTH)
    if process.hung:
        print(f"Nothing was printed for {SILENCE} seconds, so the run was ended. These had begun, the first that was queued first:")
        print("\n".join(f"  {name}" for name in run.unfinished()[:2 * WIDTH]))
    if code:
        print("What failed:")
        print("\n".join(failures(lines) or lines[-40:]))
    print("\n".join(slowest(found)))
    print(summary(lines), flush=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
