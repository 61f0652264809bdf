"""Says whether a history of acts and the state that the servers are in afterwards can both be true.

An act that was acknowledged must have happened, once, after what it rests on; one that was refused must not have happened; one whose outcome is
unknown may have happened or not, but not twice. What a server says afterwards must have been asked for by somebody.

The acts (`history.py` has their form), and what is looked at afterwards:

    create    user                       the account is there
    bind      user, kid, proof, [token]  the device is listed until it is revoked; the ledger has the proof, once
    sign      kid, proof, [token]        the ledger has the proof, once, after the device's binding
    login     user, [token]              the session is valid until it is ended
    logout    token                      the session is not valid
    revoke    kid                        the device is not listed, and nothing that begins afterwards succeeds with it
    order     number                     the transaction is there
    approve   number, kid, proof         it is approved, and the ledger has the proof, once
    decide    message, decision          the decision is kept, once
    complete  message, [token]           only when the message was approved
    replay    proof                      never succeeds: the proof was accepted before

A `proof` is a digest of the signed token. `state` has `accounts` (names), `devices` (kids), `sessions` (token: whether it is valid), `ledger`
(entries by their number, with `device` and `proof`), `transactions` (number: state, None when it is gone) and `decisions` (messages with `decision`).
"""

import collections

# An account keeps at most 100 sessions (docs/limits.md): of more, the oldest end.
SESSIONS = 100


def lane(entry):
    """The chain that an entry of the ledger stands in (docs/evidence-format.md): 0 unless servers write several."""
    number = entry.get("number", 0)
    return 0 if number < 2**40 else number % 64


class Finding:
    """`kind` is lost, doubled, reordered, undone (refused, and done all the same) or invented (done, and never asked for)."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text

    def __str__(self):
        return f"{self.kind}: {self.text}"


class Checker:
    def __init__(self, acts, state):
        self.acts, self.state, self.findings = acts, state, []
        self.by_kind = collections.defaultdict(list)
        for act in acts:
            self.by_kind[act.kind].append(act)

    def check(self):
        for part in (self.accounts, self.proofs, self.ledger, self.devices, self.sessions, self.transactions, self.decisions):
            part()
        return self.findings

    def find(self, kind, text):
        self.findings.append(Finding(kind, text))

    def of(self, *kinds):
        return [act for kind in kinds for act in self.by_kind[kind]]

    def grouped(self, fact, *kinds):
        groups = collections.defaultdict(list)
        for act in self.of(*kinds):
            groups[act[fact]].append(act)
        return groups

    def accounts(self):
        there = set(self.state["accounts"])
        for act in self.of("create"):
            if act.outcome == "ok" and act["user"] not in there:
                self.find("lost", f"{act}: the account is gone")

    def proofs(self):
        """A proof counts once, whatever was asked with it, how often and of whom."""
        entries = collections.Counter(entry["proof"] for entry in self.state["ledger"])
        asked = self.grouped("proof", "bind", "sign", "approve", "replay")
        for proof, acts in asked.items():
            accepted = [act for act in acts if act.outcome == "ok"]
            kept = entries[proof]
            if len(accepted) > 1:
                self.find("doubled", "one proof was accepted in " + " and in ".join(map(str, accepted)))
            if kept > 1:
                self.find("doubled", f"the ledger has {kept} entries of {acts[0]}")
            if accepted and kept == 0:
                self.find("lost", f"{accepted[0]}: it is not in the ledger")
            if kept and all(act.outcome == "fail" for act in acts):
                self.find("undone", f"{acts[0]}: it was refused, and is in the ledger")
        for proof in entries:
            if proof not in asked:
                self.find("invented", f"the ledger has a proof that nobody sent: {proof}")

    def ledger(self):
        """Each lane of the ledger is in the order in which acts were over before others began, and a key is bound before it signs."""
        lanes = collections.defaultdict(list)
        for entry in self.state["ledger"]:
            lanes[lane(entry)].append(entry)
        for entries in lanes.values():
            self.order(entries)
        bound = collections.defaultdict(dict)
        for number, entry in enumerate(self.state["ledger"]):
            if entry["kind"] == "bind":
                bound[entry["device"]].setdefault(lane(entry), number)
        for number, entry in enumerate(self.state["ledger"]):
            places = bound[entry["device"]]
            # Between lanes numbers are in the order of several clocks, which proves nothing.
            if not places or lane(entry) in places and number < places[lane(entry)]:
                self.find("reordered", f"the ledger has a signature of the device {entry['device']} before its binding")

    def order(self, entries):
        place = {entry["proof"]: number for number, entry in enumerate(entries)}
        done = [act for act in self.of("bind", "sign", "approve") if act.outcome == "ok" and act["proof"] in place]
        # In the order of their beginnings, none may stand before the last of those that were over by then.
        ends = sorted(done, key=lambda act: act.ended)
        over, last = 0, None
        for act in sorted(done, key=lambda act: act.began):
            while over < len(ends) and ends[over].ended < act.began:
                if last is None or place[ends[over]["proof"]] > place[last["proof"]]:
                    last = ends[over]
                over += 1
            if last is not None and place[act["proof"]] < place[last["proof"]]:
                self.find("reordered", f"the ledger has {act} before {last}, which was over when it began")

    def devices(self):
        listed = collections.Counter(self.state["devices"])
        in_ledger = {entry["device"] for entry in self.state["ledger"] if entry["kind"] == "bind"}
        revoked = self.grouped("kid", "revoke")
        bindings = self.grouped("kid", "bind")
        for kid, binds in bindings.items():
            revokes = revoked[kid]
            gone = [act for act in revokes if act.outcome == "ok"]
            if listed[kid] > 1:
                self.find("doubled", f"the device of {binds[0]} is listed {listed[kid]} times")
            if any(act.outcome == "ok" for act in binds):
                if not listed[kid] and all(act.outcome == "fail" for act in revokes):
                    self.find("lost", f"the device of {binds[0]}")
            elif listed[kid] and all(act.outcome == "fail" for act in binds):
                self.find("undone", f"{binds[0]}: it was refused, and the device is listed")
            if listed[kid] and gone:
                self.find("lost", f"{gone[0]}: the device is listed")
            # The two are one write.
            if listed[kid] and kid not in in_ledger:
                self.find("lost", f"the device of {binds[0]} is listed, and the ledger does not have its binding")
            if kid in in_ledger and not listed[kid] and not any(act.outcome != "fail" for act in revokes):
                self.find("lost", f"the ledger has the binding of {binds[0]}, and the device is not listed")
        for kid in listed:
            if kid not in bindings:
                self.find("invented", f"a device is listed that nobody bound: {kid}")
        for act in self.of("sign", "approve"):
            if act.outcome != "ok":
                continue
            if not any(bind.outcome != "fail" and bind.began < act.ended for bind in bindings[act["kid"]]):
                self.find("reordered", f"{act}: its device was not bound by then")
            for revoke in revoked[act["kid"]]:
                if revoke.outcome == "ok" and revoke.ended < act.began:
                    self.find("reordered", f"{act}: it began after {revoke} was over")

    def sessions(self):
        valid = self.state["sessions"]
        ended = self.grouped("token", "logout")
        per_account = self.grouped("user", "bind", "sign", "login", "complete")
        for account, acts in per_account.items():
            begun = [act for act in acts if act.outcome != "fail"]
            for act in begun:
                token = act.results.get("token")
                if act.outcome != "ok" or token not in valid:
                    continue
                logouts = ended[token]
                gone = [logout for logout in logouts if logout.outcome == "ok"]
                if gone and valid[token]:
                    self.find("lost", f"{gone[0]}: the session of {act} is valid")
                may_have_ended = any(logout.outcome != "fail" for logout in logouts)
                if not valid[token] and not may_have_ended:
                    later = sum(1 for other in begun if other.ended is None or other.ended > act.began)
                    if later <= SESSIONS:
                        self.find("lost", f"the session of {act}")

    def transactions(self):
        states, approvals = self.state["transactions"], self.grouped("number", "approve")
        in_ledger = {entry["transaction"] for entry in self.state["ledger"] if entry.get("transaction")}
        for act in self.of("order"):
            number = act["number"]
            if act.outcome != "ok":
                continue
            state, acts = states.get(number), approvals[number]
            done = [each for each in acts if each.outcome == "ok"]
            if state is None:
                self.find("lost", f"the transaction of {act}")
            elif len(done) > 1:
                self.find("doubled", f"{done[0]} and {done[1]} approved one transaction")
            elif done and state != "approved":
                self.find("lost", f"{done[0]}: the transaction is {state}")
            elif state == "approved" and not any(each.outcome != "fail" for each in acts):
                self.find("invented", f"the transaction of {act} is approved, and nobody did")
            # Not the other way round: the journey may end between the signature and the approval (docs/transactions.md).
            if state == "approved" and number not in in_ledger:
                self.find("lost", f"the transaction of {act} is approved, and the ledger has no signature of it")

    def decisions(self):
        kept = collections.defaultdict(list)
        for record in self.state["decisions"]:
            kept[record["message"]].append(record["decision"])
        asked = self.grouped("message", "decide")
        for message, acts in asked.items():
            done = [act for act in acts if act.outcome == "ok"]
            if len(done) > 1 or len(kept[message]) > 1:
                self.find("doubled", f"the message of {acts[0]} was decided more than once: {kept[message]}")
            elif done and kept[message] != [done[0]["decision"]]:
                self.find("lost", f"{done[0]}: what is kept is {kept[message]}")
            elif kept[message] and not any(act.outcome != "fail" and act["decision"] == kept[message][0] for act in acts):
                self.find("undone", f"{acts[0]}: it was refused, and is kept as {kept[message]}")
        for message in kept:
            if message not in asked:
                self.find("invented", f"a decision is kept that nobody made: {message}")
        for act in self.of("complete"):
            if act.outcome != "ok":
                continue
            approvals = [each for each in asked[act["message"]] if each["decision"] == "approved" and each.outcome != "fail"]
            if not any(each.began < act.ended for each in approvals):
                self.find("reordered", f"{act}: nobody had approved it")
            elif kept[act["message"]] != ["approved"]:
                self.find("lost", f"{act}: what is kept is {kept[act['message']]}")


def check(acts, state):
    return Checker(acts, state).check()


def summary(findings):
    """How many findings of each kind, and those that count as lost and doubled."""
    counts = collections.Counter(finding.kind for finding in findings)
    return {kind: counts[kind] for kind in ("lost", "doubled", "reordered", "undone", "invented")}
