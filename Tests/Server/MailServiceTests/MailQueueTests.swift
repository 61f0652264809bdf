import Bytes
import CommonFixtures
import Concurrency
import Foundation
import Logging
import Testing

@testable import MailService

/// Takes mail as a test says.
final class ScriptedTransport: MailTransport {
  private let answers: Locked<[MailError?]>
  private let sent = Locked<[String]>([])

  init(_ answers: [MailError?] = []) { self.answers = Locked(answers) }

  var recipients: [String] { sent.withLock { $0 } }

  func send(_ bytes: [UInt8], from: MailAddress, to: MailAddress, id: String) async throws {
    if let error = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
    sent.withLock { $0.append(to.text) }
  }
}

@Suite("The queue of mail")
struct MailQueueTests {
  private let pauses = Locked<[TimeInterval]>([])

  private func queue(
    _ transport: any MailTransport,
    allows: @escaping @Sendable (MailMessage) async throws -> Bool = { _ in true }
  ) -> MailQueue {
    let pauses = pauses
    return MailQueue(
      transport, allows: allows, clock: { Date(timeIntervalSince1970: 1_800_000_000) },
      randomBytes: { [UInt8](repeating: 7, count: $0) }, logger: Logger(label: "test"),
      pause: { seconds in pauses.withLock { $0.append(seconds) } })
  }

  private func message(_ name: String = "ada") throws -> MailMessage {
    MailMessage(
      from: try #require(MailAddress("login@example.com")),
      to: try #require(MailAddress("\(name)@example.com")),
      subject: "s", text: "t")
  }

  @Test func `messages leave in their order, also after one that failed for good`() async throws {
    let transport = ScriptedTransport([nil, MailError("no such mailbox", isTemporary: false)])
    let queue = queue(transport)
    for name in ["a", "b", "c"] { queue.send(try message(name)) }
    await queue.drain()
    #expect(transport.recipients == ["a@example.com", "c@example.com"])
    #expect(pauses.withLock { $0 }.isEmpty)
  }

  @Test func `a failure that may pass is tried again, and not for ever`() async throws {
    let busy = MailError("busy", isTemporary: true)
    let transport = ScriptedTransport([busy, busy, nil, busy, busy, busy, busy])
    let queue = queue(transport)
    queue.send(try message("a"))
    queue.send(try message("b"))
    queue.send(try message("c"))
    await queue.drain()
    #expect(transport.recipients == ["a@example.com", "c@example.com"])
    #expect(pauses.withLock { $0 } == [2, 10, 2, 10, 60])
  }

  @Test func `an address that has had too many gets nothing, and the others do`() async throws {
    let transport = ScriptedTransport()
    let queue = queue(transport) { $0.recipient.text != "a@example.com" }
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
