import CommonFixtures
import Concurrency
import Foundation
import Testing

@testable import PingOrchestrate

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Concurrent calls of one workflow", .timeLimit(.minutes(2)))
struct WorkflowConcurrencyTests {
  private let request = Request(urlString: "https://am.example.com")

  @Test func `start, next and sign-off never overlap`() async {
    let active = Locked((now: 0, most: 0))
    let server = FakeServer { _ in
      active.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for _ in 0..<5 { await Task.yield() }
      active.withLock { $0.now -= 1 }
      return (200, "{}", [:])
    }
    let workflow = makeWorkflow(server) { setup in
      setup.signOff { request in
        request.url("https://am.example.com/logout")
        return request
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask {
          let request = Request(urlString: "https://am.example.com")
          switch number % 3 {
          case 0: _ = await workflow.start(request)
          case 1: _ = await workflow.signOff()
          default:
            let flow = FlowContext(flowContext: SharedContext())
            _ = await Step(context: flow, workflow: workflow, input: [:], actions: []).next()
          }
        }
      }
    }
    #expect(active.withLock { $0.most } == 1)
    #expect(server.requests.count == 30)
  }

  @Test func `waiting calls get their turn in the order of arrival`() async throws {
    let queue = ReentrantFIFO()
    let gate = Gate()
    let entered = Signal()
    let journal = Journal()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Also when a wait fails: the group waits for its tasks.
      defer { gate.open() }
      group.addTask {
        try await queue.pass {
          journal.add("in")
          entered.fire()
          await gate.pass()
        }
      }
      try await entered.wait(until: "the first call is in")
      for number in 1...5 {
        group.addTask { try await queue.pass { journal.add("\(number)") } }
        try await eventually("\(number) calls wait") { queue.waitingCount == number }
      }
      gate.open()
      try await group.waitForAll()
    }
    #expect(journal.entries == ["in", "1", "2", "3", "4", "5"])
  }

  @Test func `who is cancelled while waiting leaves the line; the others keep their places`() async throws {
    let queue = ReentrantFIFO()
    let gate = Gate()
    let entered = Signal()
    let journal = Journal()
    let first = Task {
      try await queue.pass {
        journal.add("first")
        entered.fire()
        await gate.pass()
      }
    }
    try await entered.wait(until: "the first call is in")
    let second = Task { try await queue.pass { journal.add("second") } }
    try await eventually("the second call waits") { queue.waitingCount == 1 }
    let third = Task { try await queue.pass { journal.add("third") } }
    try await eventually("the third call waits") { queue.waitingCount == 2 }

    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(queue.waitingCount == 1)
    gate.open()
    try await first.value
    try await third.value
    #expect(journal.entries == ["first", "third"])
    try await queue.pass { journal.add("fourth") }
    #expect(journal.entries.last == "fourth")
  }

  @Test func `a task that is cancelled before it arrives does not get in`() async throws {
    let queue = ReentrantFIFO()
    let gate = Gate()
    let task = Task {
      await gate.pass()
      try await queue.pass { _ = Issue.record("A cancelled task got in.") }
    }
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await queue.pass {}
  }

  @Test func `a handler may call the workflow that runs it`() async throws {
    let workflow = makeWorkflow { setup in
      setup.initialize { [weak workflow = setup.workflow] in try await workflow?.initialize() }
      setup.start { [weak workflow = setup.workflow] flow, request in
        guard request.urlRequest.url?.path != "/inner" else { return request }
        _ = await workflow?.start(Request(urlString: "https://am.example.com/inner"))
        return request
      }
    }
    #expect(await workflow.start(request) is EmptyNode)
  }

  @Test func `a task that a handler leaves behind waits for its turn like any other`() async throws {
    let queue = ReentrantFIFO()
    let gate = Gate()
    let left = try await queue.pass {
      Task {
        await gate.pass()
        return try await queue.pass { "later" }
      }
    }
    let inside = Gate()
    let holder = Task { try await queue.pass { await inside.pass() } as Void }
    try await eventually("the queue is taken") { queue.isTaken }
    gate.open()
    try await eventually("the task that was left behind waits") { queue.waitingCount == 1 }
    inside.open()
    try await holder.value
    #expect(try await left.value == "later")
  }

  @Test func `concurrent starts initialise once, before the first request is sent`() async {
    let count = Locked(0)
    let server = FakeServer { _ in
      #expect(count.withLock { $0 } == 1)
      return (200, "{}", [:])
    }
    let workflow = makeWorkflow(server) { setup in
      setup.initialize {
        await Task.yield()
        count.withLock { $0 += 1 }
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { _ = await workflow.start(Request(urlString: "https://am.example.com")) }
        group.addTask { try? await workflow.initialize() }
      }
    }
    #expect(count.withLock { $0 } == 1)
    #expect(server.requests.count == 20)
  }

  @Test func `a failed initialisation cancels the other handlers, fails the start, and is tried again`() async
  {
    let attempts = Locked(0)
    let runs = Locked(0)
    let cancelled = Locked(0)
    let workflow = makeWorkflow { setup in
      setup.initialize {
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        if attempt == 1 { throw Refused() }
      }
      setup.initialize {
        let run = runs.withLock { runs in
          runs += 1
          return runs
        }
        guard run == 1 else { return }
        try await untilCancelled()
        cancelled.withLock { $0 += 1 }
      }
    }
    let first = await workflow.start(request)
    #expect((first as? FailureNode)?.cause is Refused)
    #expect(cancelled.withLock { $0 } == 1)
    #expect(await workflow.start(request) is EmptyNode)
    #expect(attempts.withLock { $0 } == 2 && runs.withLock { $0 } == 2)
  }

  @Test
  func
    `a task that is cancelled while it waits for the answer gets a CancellationError, whatever the transport throws`()
    async throws
  {
    let sent = Signal()
    let server = FakeServer { _ in
      sent.fire()
      try await untilCancelled()
      throw URLError(.cancelled)
    }
    let workflow = makeWorkflow(server)
    let task = Task { await workflow.start(Request(urlString: "https://am.example.com")) }
    try await sent.wait(until: "the request is sent")
    task.cancel()
    let failure = try #require(await task.value as? FailureNode)
    #expect(failure.cause is CancellationError)
  }

  @Test func `a cancelled task sends nothing`() async throws {
    let server = FakeServer()
    let workflow = makeWorkflow(server)
    let gate = Gate()
    let task = Task {
      await gate.pass()
      return await workflow.start(Request(urlString: "https://am.example.com"))
    }
    task.cancel()
    gate.open()
    let failure = try #require(await task.value as? FailureNode)
    #expect(failure.cause is CancellationError)
    #expect(server.requests.isEmpty)
  }
}

private final class Step: ContinueNode, @unchecked Sendable {
  override func asRequest() -> Request { Request(urlString: "https://am.example.com") }
}
