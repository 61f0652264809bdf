import Bytes
import CommonFixtures
import Concurrency
import Foundation
import Logging
import Testing

@testable import MailService

/// Takes mail as a test says.
final class ScriptedTransport: MailTransport {
  private struct State {
    var attempts = 0
    var sent: [(recipient: String, subject: String)] = []
    var silent = (now: 0, most: 0)
  }

  private let answers: Locked<[MailError?]>
  private let answer: @Sendable (String) async throws -> Void
  private let state = Locked(State())

  init(_ answers: [MailError?] = [], answer: @escaping @Sendable (String) async throws -> Void = { _ in }) {
    self.answers = Locked(answers)
    self.answer = answer
  }

  var recipients: [String] { state.withLock { $0.sent.map(\.recipient) } }
  var subjects: [String] { state.withLock { $0.sent.map(\.subject) } }
  var attempts: Int { state.withLock { $0.attempts } }
  var mostOfSilent: Int { state.withLock { $0.silent.most } }

  func send(_ bytes: [UInt8], from: MailAddress, to: MailAddress, id: String) async throws {
    let isSilent = to.text.hasSuffix("@silent.example")
    state.withLock { state in
      state.attempts += 1
      guard isSilent else { return }
      state.silent.now += 1
      state.silent.most = max(state.silent.most, state.silent.now)
    }
    defer { if isSilent { state.withLock { $0.silent.now -= 1 } } }
    if let error = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
    try await answer(to.text)
    let text = String(decoding: bytes, as: UTF8.self)
    let subject = text.split(separator: "\r\n").first { $0.hasPrefix("Subject: ") }?.dropFirst(9) ?? ""
    state.withLock { $0.sent.append((to.text, String(subject))) }
  }
}

@Suite("The queue of mail")
struct MailQueueTests {
  private let pauses = Locked<[TimeInterval]>([])

  private func queue(
    _ transport: any MailTransport,
    allows: @escaping @Sendable (MailMessage) async throws -> Bool = { _ in true },
    pause: @escaping @Sendable (TimeInterval) async throws -> Void = { _ in }
  ) -> MailQueue {
    let pauses = pauses
    return MailQueue(
      transport, allows: allows, clock: { Date(timeIntervalSince1970: 1_800_000_000) },
      randomBytes: { [UInt8](repeating: 7, count: $0) }, logger: Logger(label: "test"),
      pause: { seconds in
        pauses.withLock { $0.append(seconds) }
        try await pause(seconds)
      })
  }

  private func message(
    _ name: String = "ada", domain: String = "example.com", subject: String = "s"
  ) throws -> MailMessage {
    MailMessage(
      from: try #require(MailAddress("login@example.com")),
      to: try #require(MailAddress("\(name)@\(domain)")), subject: subject, text: "t")
  }

  @Test func `those for one address leave in their order, also after one that failed for good`() async throws
  {
    let transport = ScriptedTransport([nil, MailError("no such mailbox", isTemporary: false)])
    let queue = queue(transport)
    for subject in ["1", "2", "3"] { queue.send(try message(subject: subject)) }
    await queue.drain()
    #expect(transport.subjects == ["1", "3"])
    #expect(pauses.withLock { $0 }.isEmpty)
  }

  @Test func `a failure that may pass is tried again, and not for ever`() async throws {
    let busy = MailError("busy", isTemporary: true)
    let transport = ScriptedTransport([busy, busy, nil])
    let queue = queue(transport)
    queue.send(try message())
    await queue.drain()
    #expect(transport.recipients == ["ada@example.com"])
    #expect(pauses.withLock { $0 } == [2, 10])
    let lasting = ScriptedTransport(Array(repeating: busy, count: 9))
    let second = self.queue(lasting)
    second.send(try message())
    await second.drain()
    #expect(lasting.recipients.isEmpty)
    #expect(pauses.withLock { $0 } == [2, 10, 2, 10, 60])
  }

  @Test func `nobody's mail waits for what is tried again later, nor for a domain that does not answer`()
    async throws
  {
    let (over, answer) = (Signal(), Signal())
    let transport = ScriptedTransport { recipient in
      if recipient == "busy@example.com" { throw MailError("busy", isTemporary: true) }
      if recipient.hasSuffix("@silent.example") { await answer.wait() }
    }
    // The pause does not end before everybody else has their mail.
    let queue = queue(transport, pause: { _ in await over.wait() })
    queue.send(try message("busy"))
    for number in 0..<5 { queue.send(try message("\(number)", domain: "silent.example")) }
    let others = try (0..<20).map {
      try message("person\($0)", domain: $0 < 10 ? "example.com" : "d\($0).example")
    }
    for other in others { queue.send(other) }
    try await eventually("the others have their mail") { transport.recipients.count == 20 }
    #expect(Set(transport.recipients) == Set(others.map(\.recipient.text)))
    #expect(transport.mostOfSilent <= 2)
    answer.fire()
    over.fire()
    await queue.drain()
    #expect(transport.recipients.count == 25)
  }

  @Test func `who closes it does not wait for what waits beside it`() async throws {
    let transport = ScriptedTransport(Array(repeating: MailError("busy", isTemporary: true), count: 9))
    let queue = queue(
      transport,
      pause: { seconds in
        // The time to close is over at once, the pause of the message never.
        if seconds != 5 { try await untilCancelled() }
      })
    queue.send(try message())
    try await eventually("it waits") { transport.attempts == 1 }
    await queue.close(within: 5)
    #expect(transport.attempts == 1)
  }

  @Test func `an address that has had too many gets nothing, and the others do`() async throws {
    let transport = ScriptedTransport()
    let queue = queue(transport, allows: { $0.recipient.text != "a@example.com" })
    queue.send(try message("a"))
    queue.send(try message("b"))
    await queue.drain()
    #expect(transport.recipients == ["b@example.com"])
  }

  @Test func `a closed queue takes nothing`() async throws {
    let transport = ScriptedTransport()
    let queue = queue(transport)
    await queue.close(within: 1)
    queue.send(try message())
    await queue.drain()
    #expect(transport.recipients.isEmpty)
  }

  @Test func `a folder gets a private file for each message`() async throws {
    let folder = TemporaryFolder()
    let directory = folder.url.appending(path: "mail")
    let queue = queue(MailFolder(directory: directory, clock: { Date(timeIntervalSince1970: 1_800_000_000) }))
    queue.send(try message())
    await queue.drain()
    let name = "01800000000000-\(String(repeating: "07", count: 16)).eml"
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [name])
    let file = directory.appending(path: name)
    #expect(try String(contentsOf: file, encoding: .utf8).contains("To: ada@example.com\r\n"))
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}
