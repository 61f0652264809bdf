import Bytes
import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import PersonPrompts
import SSHFormats
import Testing

@testable import Agent

struct QuestionTests {
  private static let wrong = PersonAnswer.pin(PIN("111111"))
  private static let right = PersonAnswer.pin(AgentScene.pin)

  @Test func `a wrong PIN is said, and the right one then signs`() async throws {
    let scene = try await AgentScene(answers: [Self.wrong, Self.right])
    #expect(try await scene.signIn(scene.conversation()).isSignature)
    #expect(scene.person.questions.last?.remark?.hasPrefix("The PIN is wrong.") == true)
  }

  @Test func `no PIN is asked for while none is accepted`() async throws {
    let scene = try await AgentScene(
      answers: [Self.wrong, Self.right], pinAttempts: PINAttemptPolicy(delays: [60]))
    #expect(try await scene.signIn(scene.conversation()) == .failure)
    #expect(scene.person.questions.count == 1)
  }

  @Test(
    arguments: [
      [.no], [.nobody("there is no terminal")], [.yes], [.finger], [wrong, wrong, wrong],
    ] as [[PersonAnswer]])
  func `without the PIN there is no signature, and the same connection asks nobody again`(
    answers: [PersonAnswer]
  ) async throws {
    let scene = try await AgentScene(answers: answers + [Self.right])
    let conversation = scene.conversation()
    #expect(try await scene.signIn(conversation) == .failure)
    let asked = scene.person.questions.count
    for _ in 0..<1000 { #expect(try await scene.signIn(conversation) == .failure) }
    #expect(scene.person.questions.count == asked)
  }

  @Test func `a key without a PIN is used after a yes or a finger`() async throws {
    let scene = try await AgentScene(pin: nil, answers: [.yes, .finger, .no])
    #expect(try await scene.signIn(scene.conversation()).isSignature)
    #expect(try await scene.signIn(scene.conversation()).isSignature)
    #expect(try await scene.signIn(scene.conversation()) == .failure)
  }

  @Test func `each sign-in is asked for, unless answers are remembered`() async throws {
    let scene = try await AgentScene(answers: [Self.right, Self.right])
    for _ in 0..<2 { #expect(try await scene.signIn(scene.conversation()).isSignature) }
    #expect(scene.person.questions.count == 2)
  }

  @Test func `an answer is remembered for the same program, account and host, for as long as it was said`()
    async throws
  {
    let scene = try await AgentScene(
      answers: [Self.right, Self.right], policy: AgentPolicy(remembersFor: 600))
    #expect(try await scene.signIn(scene.conversation()).isSignature)
    #expect(try await scene.signIn(scene.conversation(), session: 2).isSignature)
    #expect(scene.person.questions.count == 1)
    #expect(scene.person.questions.first?.details.contains("10 minutes") == true)
    #expect(try await scene.signIn(scene.conversation(), session: 3, user: "root").isSignature)
    #expect(scene.person.questions.count == 2)
    #expect(try await scene.signIn(scene.conversation(by: "/tmp/ssh"), session: 4) == .failure)
    #expect(try await scene.signIn(scene.conversation(by: nil), session: 5) == .failure)
    scene.date.advance(by: 601)
    #expect(try await scene.signIn(scene.conversation(), session: 6) == .failure)
    #expect(scene.person.questions.count == 5)
  }

  @Test func `locking forgets what was remembered`() async throws {
    let scene = try await AgentScene(answers: [Self.right], policy: AgentPolicy(remembersFor: 600))
    let conversation = scene.conversation()
    #expect(try await scene.signIn(conversation).isSignature)
    _ = await conversation.answer(to: AgentRequest.lock(passphrase: [1]).bytes)
    _ = await conversation.answer(to: AgentRequest.unlock(passphrase: [1]).bytes)
    #expect(try await scene.signIn(scene.conversation(), session: 2) == .failure)
  }

  @Test func `what a host chose cannot pass for another line of the question`() async throws {
    let scene = try await AgentScene(answers: [])
    _ = try await scene.signIn(scene.conversation(), user: "ada\n  Host  bank.example\u{1B}[2J")
    let details = try #require(scene.person.questions.first).details
    #expect(details.split(separator: "\n").count == 6)
    #expect(!details.contains("\u{1B}"))
  }

  // The program that forwards is the local ssh, which is also the one that was allowed.
  @Test func `what was allowed to this machine is asked for again when a host forwards it`() async throws {
    let scene = try await AgentScene(
      answers: [Self.right], policy: AgentPolicy(remembersFor: 600), allowsForwarding: true)
    #expect(try await scene.signIn(scene.conversation()).isSignature)
    let forwarded = scene.conversation()
    _ = await forwarded.answer(to: try TestHost().binding([UInt8](repeating: 9, count: 32), forwarding: true))
    #expect(try await scene.signIn(forwarded, session: 2) == .failure)
    #expect(scene.person.questions.last?["Forwarded by"] != nil)
  }

  @Test func `an answer does not hold for another chain of hosts that forward`() async throws {
    let scene = try await AgentScene(
      answers: [Self.right, Self.right], policy: AgentPolicy(remembersFor: 600), allowsForwarding: true)
    let (near, other, far) = (TestHost(), TestHost(), TestHost())
    for (index, hops) in [[near, far], [near, far], [other, far], [far, near]].enumerated() {
      let conversation = scene.conversation()
      for (hop, host) in hops.enumerated() {
        let session = [UInt8](repeating: UInt8(0x80 + 2 * index + hop), count: 32)
        #expect(await conversation.answer(to: try host.binding(session, forwarding: true)) == .success)
      }
      #expect(try await scene.signIn(conversation, session: UInt8(index)).isSignature == (index < 3))
    }
    #expect(scene.person.questions.count == 3)
    let shown = try [near, other, far].map { try HostKey(parsing: $0.blob).fingerprint }
    #expect(scene.person.questions.map { $0["Forwarder's key"] } == shown)
  }

  // It has the other's signature over a session of its own: it connects there as every client does.
  @Test(arguments: [1, 3])
  func `a host that forwards does not hide behind another host's binding`(others: Int) async throws {
    let (evil, bastion) = (TestHost(), TestHost())
    let scene = try await AgentScene(
      answers: [], allowsForwarding: true,
      knownHosts: [("evil.example", evil), ("bastion.corp", bastion)]
        .map { "\($0) ssh-ed25519 \(PaddedBase64.encode($1.blob))\n" }.joined())
    let conversation = scene.conversation()
    for (index, host) in ([evil] + Array(repeating: bastion, count: others)).enumerated() {
      let session = [UInt8](repeating: UInt8(0x80 + index), count: 32)
      #expect(await conversation.answer(to: try host.binding(session, forwarding: true)) == .success)
    }
    #expect(try await scene.signIn(conversation) == .failure)
    let question = try #require(scene.person.questions.first)
    #expect(question["Forwarded by"] == "evil.example")
    #expect(question.details.contains("  \(try HostKey(parsing: evil.blob).fingerprint)\n"))
    #expect(
      question["Then, it says, by"]
        == (others == 1 ? "bastion.corp" : "3 more hosts, the last one bastion.corp"))
  }

  @Test func `after three refusals in a row a program asks nobody for a minute, on whichever connection`()
    async throws
  {
    let scene = try await AgentScene(answers: [.no, .no, Self.right, .no, .no, .no, Self.right, Self.right])
    for signs in [false, false, true, false, false, false] {
      #expect(try await scene.signIn(scene.conversation()).isSignature == signs)
    }
    scene.date.advance(by: 59)
    for _ in 0..<100 { #expect(try await scene.signIn(scene.conversation()) == .failure) }
    #expect(scene.person.questions.count == 6)
    #expect(try await scene.signIn(scene.conversation(by: "/usr/bin/git")).isSignature)
    scene.date.advance(by: 2)
    #expect(try await scene.signIn(scene.conversation()).isSignature)
  }

  @Test(arguments: [0, 3, 59])
  func `questions that come and go count as refused, however late, and that nobody can be asked does not`(
    seconds: TimeInterval
  ) async throws {
    let scene = try await AgentScene(answers: Array(repeating: .nobody("there is no terminal"), count: 5))
    for _ in 0..<5 { #expect(try await scene.signIn(scene.conversation()) == .failure) }
    #expect(scene.person.questions.count == 5)
    let waiting = WaitingPerson()
    let hasty = try await AgentScene(answers: [], asking: waiting)
    for _ in 0..<AgentPolicy.refusals {
      let task = Task { try await hasty.signIn(hasty.conversation()) }
      await waiting.isAsked()
      hasty.date.advance(by: seconds)
      task.cancel()
      #expect(try await task.value == .failure)
    }
    #expect(try await hasty.signIn(hasty.conversation()) == .failure)
    #expect(waiting.count == AgentPolicy.refusals)
  }

  @Test func `one process does not take all places in the queue`() async throws {
    let scene = try await AgentScene(answers: [], asking: WaitingPerson())
    @Sendable func signIn(_ process: Int32) async throws -> AgentReply {
      try await scene.signIn(
        scene.agent.conversation(with: Caller(user: 0, process: process, executable: "/usr/bin/ssh")))
    }
    var tasks = (0..<AgentPolicy.longestQueueOfProcess).map { _ in Task { try await signIn(7) } }
    try await eventually("they wait") {
      await scene.questions.status.waiting == AgentPolicy.longestQueueOfProcess
    }
    #expect(try await signIn(7) == .failure)
    tasks.append(Task { try await signIn(8) })
    try await eventually("another one waits, too") {
      await scene.questions.status.waiting == AgentPolicy.longestQueueOfProcess + 1
    }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(try await task.value == .failure) }
    #expect(await scene.questions.status.waiting == 0)
  }

  @Test func `a long host name loses its beginning, and the fingerprint stays in sight`() async throws {
    let host = TestHost()
    let name = "bank.example." + String(repeating: "a", count: 200) + ".evil.example"
    let scene = try await AgentScene(
      answers: [], knownHosts: "\(name) ssh-ed25519 \(PaddedBase64.encode(host.blob))\n")
    let session = [UInt8](repeating: 1, count: 32)
    let conversation = scene.conversation()
    _ = await conversation.answer(to: try host.binding(session))
    _ = await conversation.answer(to: scene.signRequest(session, at: host))
    let details = try #require(scene.person.questions.first).details
    #expect(details.contains("a.evil.example\n") && !details.contains("bank.example"))
    #expect(details.contains(try HostKey(parsing: host.blob).fingerprint + "\n"))
  }
}

/// Waits until the question is taken away.
private final class WaitingPerson: PersonPrompt {
  private let asked = Locked(0)
  private let seen = Locked(0)

  var count: Int { asked.withLock { $0 } }

  /// Waits for the next question.
  func isAsked() async {
    try? await eventually("there is a question") { self.count > self.seen.withLock { $0 } }
    seen.withLock { $0 += 1 }
  }

  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    asked.withLock { $0 += 1 }
    try? await untilCancelled()
    return .no
  }
}
