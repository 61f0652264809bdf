"""How long each test took, from the events of a run, without the time that it waited for its turn."""

import bisect
import json


class Run:
    """The events of one run: a line each, as Swift Testing writes them with `--event-stream-output-path`."""

    def __init__(self, lines):
        self.names, self.started, self.ended = {}, {}, {}
        #: When the cases of tests with arguments began and ended, by test. Of other tests the runner tells only when they got in the queue.
        self.cases, self.case_ends = {}, {}
        for line in lines:
            try:
                self.read(json.loads(line))
            except (ValueError, KeyError, TypeError):
                # The last line of a run that was ended.
                continue

    def read(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                self.names[payload["id"]] = f"{payload['id'].split('.')[0]}: {payload.get('displayName') or payload['name']}"
            return
        times = {
            "testStarted": self.started, "testEnded": self.ended, "testCaseStarted": self.cases, "testCaseEnded": self.case_ends}
        if payload["kind"] not in times or payload.get("testID") not in self.names:
            return
        at = payload["instant"]["absolute"]
        if payload["kind"].startswith("testCase"):
            times[payload["kind"]].setdefault(payload["testID"], []).append(at)
        else:
            times[payload["kind"]][payload["testID"]] = at

    def unfinished(self):
        """The names of the tests that have not ended: those whose cases run, then the others, the longest queued first."""
        left = [test for test in self.started if test not in self.ended]
        running = {test for test in left if len(self.cases.get(test, [])) > len(self.case_ends.get(test, []))}
        return [self.names[test] for test in sorted(left, key=lambda test: (test not in running, self.started[test]))]

    def durations(self, width):
        """The seconds and the cases of each test that ended, by name, in a run of `width` at a time.

        The time of a test's cases is exact. When another test began is worked out: each began when one of those before it ended, in the
        order of the queue. Neighbours in it may be exchanged.
        """
        found = {}
        for test, ends in self.case_ends.items():
            begun = sorted(self.cases.get(test, []))[:len(ends)]
            found[self.names[test]] = (sum(ends) - sum(begun), len(ends))
        queue = [(begun, self.ended[test], test) for test, begun in self.started.items() if test in self.ended and test not in self.cases]
        queue.sort(key=lambda row: row[0])
        for (_, end, test), begun in zip(queue, self.beginnings(queue, width)):
            found[self.names[test]] = (max(0.0, end - begun), 1)
        return found

    def beginnings(self, queue, width):
        """When each of the tests in `queue`, `(queued, ended, test)` in its order, began."""
        if not queue:
            return []
        ends = sorted([end for _, end, _ in queue] + [end for ends in self.case_ends.values() for end in ends])
        # A place gets free at the beginning, and whenever something ends.
        places = ([min(self.started.values())] * width + ends)[:len(ends)]
        free = [True] * len(places)
        for begun in sorted(begun for cases in self.cases.values() for begun in cases):
            place = bisect.bisect_right(places, begun) - 1
            while place >= 0 and not free[place]:
                place -= 1
            if place >= 0:
                free[place] = False
        places = [place for place, is_free in zip(places, free) if is_free]
        by_end = sorted(range(len(queue)), key=lambda index: queue[index][1])
        found, first, soonest = [None] * len(queue), 0, 0
        for place, following in zip(places, places[1:] + [float("inf")]):
            while soonest < len(queue) and found[by_end[soonest]] is not None:
                soonest += 1
            while first < len(queue) and found[first] is not None:
                first += 1
            if first == len(queue):
                break
            # What ends before another place gets free has begun by now.
            index = by_end[soonest] if queue[by_end[soonest]][1] < following else first
            found[index] = place
        return [queued if begun is None else begun for (queued, _, _), begun in zip(queue, found)]
