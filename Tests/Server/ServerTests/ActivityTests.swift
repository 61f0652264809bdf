import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import Pages
@testable import ServerHTTP

@Suite("What the server remembers of sign-ins") struct ActivityTests {
  private func attempts(_ local: LocalServer, of name: String) async throws -> [SignInAttempt] {
    await local.server.activity.store(everything: true)
    return try await local.server.activity.activity.attempts(
      of: UniversalID(username: name, realm: "alpha"), limit: 10)
  }

  @Test func `a refused sign-in is kept with its path, the node that said no, and why`() async throws {
    try await LocalServer.run { local in
      let step = try await local.start()
      local.clock.advance(by: 7)
      let answer = try await local.call(
        .post, "\(LocalServer.alpha)/authenticate",
        body: LocalServer.reply(to: step, "Ada", "a secret that is wrong"))
      #expect(answer.status == 401)
      let found = try await attempts(local, of: "ada")
      let attempt = try #require(found.first)
      #expect(found.count == 1 && attempt.state == .failure && attempt.journey == "Login")
      #expect(attempt.steps.map(\.node) == ["zero", "page", "page", "check"])
      #expect(attempt.steps.map(\.outcome) == ["false", "", "outcome", "false"])
      #expect(attempt.last?.type == "DataStoreDecisionNode")
      #expect(attempt.reason?.isEmpty == false)
      #expect(attempt.latest.timeIntervalSince(attempt.startedAt) == 7)
      // No secret and no input, the name apart.
      #expect(!"\(found)".contains("a secret that is wrong"))
    }
  }

  @Test func `a right one and one that was left in the middle are kept, too`() async throws {
    try await LocalServer.run { local in
      _ = try await local.signIn("ada")
      let step = try await local.start("TwoSteps")
      let next = try await local.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada"))
      #expect(next.status == 200)
      let found = try await attempts(local, of: "ada")
      #expect(Set(found.map(\.state)) == [.success, .open])
      #expect(found.first { $0.state == .open }?.last?.outcome == SignInAttempt.Step.asked)
    }
  }

  @Test func `a journey that ends well for an inactive account is a refusal`() async throws {
    try await LocalServer.run { local in
      let step = try await local.start("Trusting")
      let answer = try await local.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "zoe"))
      #expect(answer.status == 401)
      let attempt = try #require(try await attempts(local, of: "zoe").first)
      #expect(attempt.state == .failure && attempt.reason?.contains("no active account") == true)
    }
  }

  @Test func `counts say how many signed in, who said no, and which connections were taken`() async throws {
    try await LocalServer.run { local in
      _ = try await local.signIn("ada")
      _ = try await local.signIn("bob")
      let step = try await local.start()
      _ = try await local.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong"))
      await local.server.activity.store(everything: true)
      let activity = local.server.activity.activity
      func counts(
        _ series: ActivityCount.Series, _ grain: ActivityCount.Grain
      ) async throws -> [String: Int] {
        let found = try await activity.counts(
          series, grain, realm: "alpha", from: LocalServer.morning - 3600, to: LocalServer.morning + 3600)
        return Dictionary(found.map { ($0.label, $0.amount) }) { $0 + $1 }
      }
      for grain in ActivityCount.Grain.allCases {
        #expect(try await counts(.signIns, grain) == ["success": 2, "failure": 1])
        #expect(try await counts(.refusals, grain) == ["DataStoreDecisionNode": 1])
        #expect(try await counts(.latency, grain).values.reduce(0, +) == 6)
      }
      let edges = try await activity.edges(
        journey: "Login", realm: "alpha", since: LocalServer.morning - 60)
      #expect(edges[ActivityCount.edge(journey: "Login", node: "check", outcome: "true")] == 2)
      #expect(edges[ActivityCount.edge(journey: "Login", node: "check", outcome: "false")] == 1)
      // What was counted is counted once.
      await local.server.activity.store(everything: true)
      #expect(try await counts(.signIns, .hour) == ["success": 2, "failure": 1])
    }
  }

  @Test func `who tries again and again fills neither the memory nor the table`() async throws {
    try await LocalServer.run { local in
      let recorder = local.server.activity
      let count = ActivityRecorder.Bound.perAccount + 30
      for index in 0..<count {
        let trail = RequestTrail(requestID: "r")
        var run = JourneyRunTrail(id: "run \(index)", journey: "Login", realm: "alpha", address: nil)
        run.state = .failure
        trail.note(run)
        recorder.note(trail, status: 401, time: .milliseconds(3))
      }
      for index in 0..<(ActivityRecorder.Bound.open + 10) {
        let trail = RequestTrail(requestID: "r")
        trail.note(JourneyRunTrail(id: "open \(index)", journey: "Login", realm: "alpha", address: nil))
        recorder.note(trail, status: 200, time: .milliseconds(3))
      }
      #expect(recorder.openRuns == ActivityRecorder.Bound.open)
      await recorder.store(everything: true)
      let kept = try await recorder.activity.attempts(realm: "alpha", before: .distantFuture, limit: 1000)
      #expect(kept.count <= ActivityRecorder.Bound.perWrite)
      #expect(kept.count { $0.state == .failure } == count)
    }
  }
}

@Suite("Spans of plots") struct ActivityPlotsTests {
  @Test(arguments: ActivityPlots.Span.allCases)
  func `a span ends now, and each count falls into one place`(span: ActivityPlots.Span) {
    let now = LocalServer.morning + 1234
    let plots = ActivityPlots(span, now: now)
    #expect(plots.from <= now && now < plots.to && plots.places.count == span.count)
    let counts = [plots.start, plots.start + span.step, Int(now.timeIntervalSince1970)].map {
      ActivityCount(
        realm: "alpha", series: .latency, grain: span.grain, period: $0, label: "20", amount: 2)
    }
    let sums = plots.sums(counts)["20"] ?? []
    #expect(sums.reduce(0, +) == 6 && sums.last == 2 && sums.first == 2)
    #expect(plots.quantile(0.95, counts).last == 20 && plots.quantile(0.5, []).allSatisfy { $0 == nil })
  }
}
