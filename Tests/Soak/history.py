"""The journal of a soak: what was asked of the servers, and what they acknowledged.

One JSON object per line, in the manner of Jepsen's histories. An act is two lines: `invoke`, written before its request is sent, and one of

    ok       the server acknowledged it
    fail     the server refused it, or it certainly never arrived
    unknown  no answer, or one that leaves it open: it may have been done or not

Each line is on disk before the program goes on, so the order of lines is the order of events as seen from outside: an act whose `ok` stands
before another's `invoke` was over before the other began.
"""

import json
import os
import threading


class Journal:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "a", encoding="utf-8")
        self.lock, self.number = threading.Lock(), 0
        self.counts = {"ok": 0, "fail": 0, "unknown": 0}

    def invoke(self, act, /, **facts):
        """Writes that an act begins; its number."""
        with self.lock:
            self.number += 1
            self.write({"id": self.number, "type": "invoke", "act": act, **facts})
            return self.number

    def end(self, act, outcome, /, **facts):
        with self.lock:
            self.counts[outcome] += 1
            self.write({"id": act, "type": outcome, **facts})

    def write(self, line):
        self.file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.file.flush()
        os.fdatasync(self.file.fileno())

    def snapshot(self):
        with self.lock:
            return dict(self.counts)

    def close(self):
        self.file.close()


class Act:
    """One act of a history: what was asked, when, and how it ended. `began` and `ended` are places in the journal."""

    def __init__(self, line, place):
        self.id, self.kind, self.facts = line["id"], line["act"], line
        self.began, self.ended, self.outcome, self.results = place, None, "unknown", {}

    def __getitem__(self, name):
        return self.results[name] if name in self.results else self.facts.get(name)

    def __str__(self):
        what = " ".join(f"{name}={str(value)[:24]}" for name, value in self.facts.items() if name not in ("id", "type", "act"))
        return f"{self.kind} {self.id} ({what}; {self.outcome})"


def acts_of(lines):
    """The acts of a history. One without an end is unknown: whoever asked died, or was never answered."""
    acts = {}
    for place, line in enumerate(lines):
        if line["type"] == "invoke":
            acts[line["id"]] = Act(line, place)
        else:
            act = acts[line["id"]]
            assert act.ended is None, f"two ends of {act}"
            act.outcome, act.ended, act.results = line["type"], place, line
    return list(acts.values())


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]
