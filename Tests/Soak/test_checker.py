"""The checker refuses histories that cannot have happened, and no others."""

import copy
import unittest

from checker import SESSIONS, check
from history import acts_of

STATE = {"accounts": [], "devices": [], "sessions": {}, "ledger": [], "transactions": {}, "decisions": []}


class Story:
    """A made-up history. Each act is over before the next begins unless it is begun and ended apart."""

    def __init__(self):
        self.lines, self.acts = [], 0

    def begin(self, act, **facts):
        self.acts += 1
        self.lines.append({"id": self.acts, "type": "invoke", "act": act, **facts})
        return self.acts

    def end(self, number, outcome="ok", **results):
        self.lines.append({"id": number, "type": outcome, **results})

    def act(self, act, outcome="ok", token=None, **facts):
        number = self.begin(act, **facts)
        self.end(number, outcome, **({"token": token} if token else {}))

    def bind(self, kid="k", outcome="ok"):
        self.act("bind", outcome, user="ada", kid=kid, proof=f"bind-{kid}")

    def sign(self, proof, kid="k", outcome="ok"):
        self.act("sign", outcome, user="ada", kid=kid, proof=proof)


def state(**changes):
    return {**copy.deepcopy(STATE), **changes}


def bound(kid="k"):
    return {"kind": "bind", "device": kid, "proof": f"bind-{kid}"}


def signed(proof, kid="k", **more):
    return {"kind": "sign", "device": kid, "proof": proof, **more}


class CheckerTests(unittest.TestCase):
    def kinds(self, story, after):
        return sorted({finding.kind for finding in check(acts_of(story.lines), after)})

    def setUp(self):
        self.story = Story()

    def test_what_was_acknowledged_and_is_there_is_explained(self):
        story = self.story
        story.act("create", user="ada")
        story.bind()
        story.sign("p1")
        story.act("login", user="ada", token="t1")
        story.act("logout", user="ada", token="t1")
        story.act("order", number="n1")
        story.act("approve", user="ada", number="n1", kid="k", proof="p2")
        story.act("decide", message="m1", decision="approved")
        story.act("complete", user="ada", message="m1", token="t2")
        story.act("replay", "fail", proof="p1")
        self.assertEqual(self.kinds(story, state(
            accounts=["ada"], devices=["k"], sessions={"t1": False, "t2": True},
            ledger=[bound(), signed("p1"), signed("p2", transaction="n1")], transactions={"n1": "approved"},
            decisions=[{"message": "m1", "decision": "approved"}])), [])

    def test_what_is_unknown_may_be_either(self):
        story = self.story
        story.bind(outcome="unknown")
        story.bind("j")
        story.sign("p1", "j", outcome="unknown")
        story.act("order", number="n1")
        story.act("approve", "unknown", user="ada", number="n1", kid="j", proof="p2")
        story.act("decide", "unknown", message="m1", decision="denied")
        without = state(devices=["j"], ledger=[bound("j")], transactions={"n1": "pending"})
        done = state(
            devices=["j", "k"], ledger=[bound("j"), bound("k"), signed("p1", "j"), signed("p2", "j", transaction="n1")],
            transactions={"n1": "approved"}, decisions=[{"message": "m1", "decision": "denied"}])
        self.assertEqual(self.kinds(story, without), [])
        self.assertEqual(self.kinds(story, done), [])

    def test_an_act_without_an_end_is_unknown(self):
        self.story.begin("bind", user="ada", kid="k", proof="bind-k")
        self.assertEqual(self.kinds(self.story, state()), [])
        self.assertEqual(self.kinds(self.story, state(devices=["k"], ledger=[bound()])), [])

    def test_a_lost_account(self):
        self.story.act("create", user="ada")
        self.assertEqual(self.kinds(self.story, state()), ["lost"])

    def test_a_lost_device(self):
        self.story.bind()
        self.assertEqual(self.kinds(self.story, state(ledger=[bound()])), ["lost"])

    def test_a_lost_entry_of_the_ledger(self):
        self.story.bind()
        self.story.sign("p1")
        self.assertEqual(self.kinds(self.story, state(devices=["k"], ledger=[bound()])), ["lost"])

    def test_a_device_and_its_evidence_come_together_also_when_the_outcome_is_unknown(self):
        self.story.bind(outcome="unknown")
        self.assertEqual(self.kinds(self.story, state(devices=["k"])), ["lost"])
        self.assertEqual(self.kinds(self.story, state(ledger=[bound()])), ["lost"])

    def test_a_lost_session_and_a_lost_end_of_one(self):
        self.story.act("login", user="ada", token="t1")
        self.assertEqual(self.kinds(self.story, state(sessions={"t1": False})), ["lost"])
        self.story.act("logout", user="ada", token="t1")
        self.assertEqual(self.kinds(self.story, state(sessions={"t1": False})), [])
        self.assertEqual(self.kinds(self.story, state(sessions={"t1": True})), ["lost"])

    def test_a_session_beyond_the_quota_has_ended(self):
        for number in range(SESSIONS + 1):
            self.story.act("login", user="ada", token=f"t{number}")
        valid = {f"t{number}": number > 0 for number in range(SESSIONS + 1)}
        self.assertEqual(self.kinds(self.story, state(sessions=valid)), [])
        valid["t1"] = False
        self.assertEqual(self.kinds(self.story, state(sessions=valid)), ["lost"])

    def test_a_lost_revocation(self):
        self.story.bind()
        self.story.act("revoke", kid="k")
        self.assertEqual(self.kinds(self.story, state(ledger=[bound()])), [])
        self.assertEqual(self.kinds(self.story, state(devices=["k"], ledger=[bound()])), ["lost"])

    def test_a_lost_transaction_and_a_lost_approval(self):
        self.story.bind()
        self.story.act("order", number="n1")
        after = state(devices=["k"], ledger=[bound()])
        self.assertEqual(self.kinds(self.story, {**after, "transactions": {"n1": None}}), ["lost"])
        self.story.act("approve", user="ada", number="n1", kid="k", proof="p1")
        after["ledger"].append(signed("p1", transaction="n1"))
        self.assertEqual(self.kinds(self.story, {**after, "transactions": {"n1": "pending"}}), ["lost"])
        self.assertEqual(self.kinds(self.story, {**after, "transactions": {"n1": "approved"}}), [])

    def test_an_approval_without_its_evidence_and_evidence_of_an_approval_that_was_not_finished(self):
        self.story.bind()
        self.story.act("order", number="n1")
        self.story.act("approve", "unknown", user="ada", number="n1", kid="k", proof="p1")
        after = state(devices=["k"], ledger=[bound()], transactions={"n1": "approved"})
        self.assertEqual(self.kinds(self.story, after), ["lost"])
        after = state(devices=["k"], ledger=[bound(), signed("p1", transaction="n1")], transactions={"n1": "pending"})
        self.assertEqual(self.kinds(self.story, after), [])

    def test_a_lost_decision(self):
        self.story.act("decide", message="m1", decision="approved")
        self.assertEqual(self.kinds(self.story, state()), ["lost"])
        self.assertEqual(self.kinds(self.story, state(decisions=[{"message": "m1", "decision": "denied"}])), ["lost"])

    def test_a_proof_accepted_twice(self):
        self.story.bind()
        self.story.sign("p1")
        self.story.act("replay", proof="p1")
        after = state(devices=["k"], ledger=[bound(), signed("p1")])
        self.assertEqual(self.kinds(self.story, after), ["doubled"])

    def test_a_proof_kept_twice_although_its_outcome_is_unknown(self):
        self.story.bind()
        self.story.sign("p1", outcome="unknown")
        after = state(devices=["k"], ledger=[bound(), signed("p1"), signed("p1")])
        self.assertEqual(self.kinds(self.story, after), ["doubled"])

    def test_a_device_listed_twice(self):
        self.story.bind()
        self.assertEqual(self.kinds(self.story, state(devices=["k", "k"], ledger=[bound()])), ["doubled"])

    def test_a_message_decided_twice(self):
        self.story.act("decide", message="m1", decision="approved")
        self.story.act("decide", message="m1", decision="denied")
        self.assertEqual(self.kinds(self.story, state(decisions=[{"message": "m1", "decision": "approved"}])), ["doubled"])

    def test_a_transaction_approved_twice(self):
        self.story.bind()
        self.story.act("order", number="n1")
        for proof in ("p1", "p2"):
            self.story.act("approve", user="ada", number="n1", kid="k", proof=proof)
        ledger = [bound(), signed("p1", transaction="n1"), signed("p2", transaction="n1")]
        after = state(devices=["k"], ledger=ledger, transactions={"n1": "approved"})
        self.assertEqual(self.kinds(self.story, after), ["doubled"])

    def test_a_ledger_in_another_order_than_the_acts(self):
        self.story.bind()
        self.story.sign("p1")
        self.story.sign("p2")
        after = state(devices=["k"], ledger=[bound(), signed("p2"), signed("p1")])
        self.assertEqual(self.kinds(self.story, after), ["reordered"])

    def test_lanes_of_a_ledger_have_an_order_each(self):
        self.story.bind()
        self.story.sign("p1")
        self.story.sign("p2")
        numbers = {1: 2**40 + 1, 2: 2**40 + 2}

        def after(first, second):
            return state(devices=["k"], ledger=[bound(), signed("p2", number=numbers[first]), signed("p1", number=numbers[second])])
        self.assertEqual(self.kinds(self.story, after(1, 2)), [])
        numbers[2] += 63
        self.assertEqual(self.kinds(self.story, after(1, 2)), ["reordered"])

    def test_acts_at_the_same_time_stand_in_any_order(self):
        self.story.bind()
        first = self.story.begin("sign", user="ada", kid="k", proof="p1")
        second = self.story.begin("sign", user="ada", kid="k", proof="p2")
        self.story.end(first)
        self.story.end(second)
        for proofs in (("p1", "p2"), ("p2", "p1")):
            after = state(devices=["k"], ledger=[bound()] + [signed(proof) for proof in proofs])
            self.assertEqual(self.kinds(self.story, after), [])

    def test_a_signature_before_its_key_was_bound(self):
        self.story.sign("p1")
        self.story.bind()
        after = state(devices=["k"], ledger=[signed("p1"), bound()])
        self.assertEqual(self.kinds(self.story, after), ["reordered"])

    def test_a_signature_after_its_key_was_revoked(self):
        self.story.bind()
        self.story.act("revoke", kid="k")
        self.story.sign("p1")
        self.assertEqual(self.kinds(self.story, state(ledger=[bound(), signed("p1")])), ["reordered"])

    def test_a_sign_in_that_nobody_had_approved(self):
        self.story.act("decide", message="m1", decision="denied")
        self.story.act("complete", user="ada", message="m1", token="t1")
        after = state(decisions=[{"message": "m1", "decision": "denied"}], sessions={"t1": True})
        self.assertEqual(self.kinds(self.story, after), ["reordered"])

    def test_what_was_refused_and_done_all_the_same(self):
        self.story.bind(outcome="fail")
        self.assertEqual(self.kinds(self.story, state(devices=["k"], ledger=[bound()])), ["undone"])
        story = Story()
        story.act("decide", "fail", message="m1", decision="approved")
        self.assertEqual(self.kinds(story, state(decisions=[{"message": "m1", "decision": "approved"}])), ["undone"])

    def test_what_nobody_asked_for(self):
        self.assertEqual(self.kinds(self.story, state(devices=["k"], ledger=[bound()])), ["invented"])
        self.story.act("order", number="n1")
        self.assertEqual(
            self.kinds(self.story, state(transactions={"n1": "approved"}, ledger=[bound(), signed("x", transaction="n1")])),
            ["invented"])

    def test_a_decision_that_nobody_made(self):
        self.assertEqual(self.kinds(self.story, state(decisions=[{"message": "m", "decision": "denied"}])), ["invented"])


if __name__ == "__main__":
    unittest.main()
