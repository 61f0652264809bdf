import Bytes
import CommonFixtures
import Concurrency
import Foundation
import PersonPrompts
import SSHFormats
import StrictJSON
import Testing

@testable import Agent

/// What the commands `sealring agent status`, `lock` and `log` tell and do.
struct ControlTests {
  private static let right = PersonAnswer.pin(AgentScene.pin)

  /// Never answers; says when it is asked.
  private struct SilentPerson: PersonPrompt {
    let isAsked = Signal()

    func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      isAsked.fire()
      // An answer that came too late would be a yes.
      return (try? await untilCancelled()) == nil ? .pin(AgentScene.pin) : .no
    }
  }

  private func tell(_ act: AgentControl.Act, _ scene: AgentScene) async throws -> JSONValue {
    let control = AgentControl(questions: scene.questions, startedAt: scene.date.now)
    return try JSONValue(parsing: await control.reply(to: act.message))
  }

  @Test func `the status names what is remembered, and locking forgets it`() async throws {
    let scene = try await AgentScene(answers: [Self.right], policy: AgentPolicy(remembersFor: 600))
    #expect(try await tell(.status, scene)["remembered"] == [])
    #expect(try await scene.signIn(scene.conversation()).isSignature)
    let remembered = try #require(try await tell(.status, scene)["remembered"]?[0])
    #expect(remembered["program"] == "/usr/bin/ssh" && remembered["key"] == "laptop")
    #expect(remembered["facts"]?["Account"] == "ada" && remembered["purpose"] == "SSH sign-in")
    #expect(try await tell(.lock, scene)["forgotten"] == 1)
    #expect(try await tell(.status, scene)["remembered"] == [])
    #expect(try await scene.signIn(scene.conversation(), session: 2) == .failure)
  }

  @Test func `locking takes the question away that is being asked, and what waits behind it`() async throws {
    let person = SilentPerson()
    let scene = try await AgentScene(
      answers: [], policy: AgentPolicy(remembersFor: 600, questionTime: 600), asking: person)
    async let first = scene.signIn(scene.conversation())
    await person.isAsked.wait()
    let status = try await tell(.status, scene)
    #expect(status["question"]?["facts"]?["Program"] == "/usr/bin/ssh (process 7)" && status["waiting"] == 1)
    async let second = scene.signIn(scene.conversation(), session: 2)
    try await eventually("two wait") { await scene.questions.status.waiting == 2 }
    _ = try await tell(.lock, scene)
    #expect(try await first == .failure)
    #expect(try await second == .failure)
    #expect(await scene.questions.status.waiting == 0)
  }

  // A host to which the agent was forwarded can cause such lines while its own question waits.
  @Test func `lines about other requests are told after a question, and do not push it out of sight`()
    async throws
  {
    let (person, told) = (SilentPerson(), Locked<[String]>([]))
    let scene = try await AgentScene(
      answers: [], policy: AgentPolicy(questionTime: 600), asking: person,
      telling: { text in told.withLock { $0.append(text) } })
    async let first = scene.signIn(scene.conversation())
    await person.isAsked.wait()
    for _ in 0..<30 { #expect(await scene.conversation().answer(to: []) == .failure) }
    #expect(told.withLock { $0 } == [])
    _ = try await tell(.lock, scene)
    #expect(try await first == .failure)
    let lines = told.withLock { $0 }
    #expect(lines.count == 22 && lines.prefix(20).allSatisfy { $0.hasPrefix("message by /usr/bin/ssh") })
    #expect(lines.dropFirst(20).first?.hasPrefix("10 more lines") == true, "\(lines)")
    #expect(lines.last?.hasPrefix("SSH sign-in by") == true, "\(lines)")
  }

  @Test func `a question that nobody answers ends by itself, and nothing is signed`() async throws {
    let scene = try await AgentScene(
      answers: [], policy: AgentPolicy(questionTime: 0.05), asking: SilentPerson())
    #expect(try await scene.signIn(scene.conversation()) == .failure)
    #expect(await scene.questions.status.question == nil)
  }

  @Test func `more than eight that wait are refused without a question`() async throws {
    let person = SilentPerson()
    let scene = try await AgentScene(answers: [], policy: AgentPolicy(questionTime: 600), asking: person)
    try await withThrowingTaskGroup { group in
      for session in 1...8 {
        let caller = Caller(user: 0, process: Int32(session), executable: "/usr/bin/ssh")
        group.addTask {
          try await scene.signIn(scene.agent.conversation(with: caller), session: UInt8(session))
        }
      }
      try await eventually("eight wait") { await scene.questions.status.waiting == 8 }
      #expect(
        try await scene.signIn(
          scene.agent.conversation(with: Caller(user: 0, process: 9, executable: nil)), session: 9)
          == .failure)
      await scene.questions.forgetAll()
      for try await reply in group { #expect(reply == .failure) }
    }
  }

  @Test(arguments: ["", "{}", #"{"do":"sign"}"#, "[", #"{"do":1}"#])
  func `what is no act of the agent changes nothing`(message: String) async throws {
    let scene = try await AgentScene(answers: [])
    let control = AgentControl(questions: scene.questions, startedAt: Date())
    #expect(try JSONValue(parsing: await control.reply(to: Array(message.utf8)))["error"] != nil)
  }

  @Test func `the log names caller, purpose, host, answer and time, and is only its owner's`() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "log")
      let scene = try await AgentScene(answers: [Self.right, .no], log: file)
      let signed = try await scene.signIn(scene.conversation())
      #expect(signed.isSignature)
      _ = try await scene.signIn(scene.conversation(), user: "evil\n{\"answer\":\"done\"}")
      _ = await scene.conversation().answer(to: [13])
      let entries = try AgentLog.entries(in: file, last: 10)
      #expect(entries.map { $0["answer"] } == ["done", "refused", "refused"])
      #expect(entries[0]["program"] == "/usr/bin/ssh" && entries[0]["process"] == 7)
      #expect(entries[0]["purpose"] == "SSH sign-in" && entries[0]["facts"]?["Key"] == "laptop")
      #expect(entries[0]["facts"]?["Host key"]?.stringValue?.hasPrefix("SHA256:") == true)
      #expect(entries[0]["time"] == .string(scene.date.now.formatted(.iso8601)))
      #expect(entries[1]["reason"] == "nobody agreed")
      #expect(try mode(of: file) == 0o600)
    }
  }

  // Errors are whole sentences; other reasons are not.
  @Test(arguments: ["The security chip is busy: no slot. Try again.", "nobody agreed"])
  func `what is told has one full stop before the facts`(reason: String) async throws {
    let scene = try await AgentScene(answers: [])
    let told = Locked<[String]>([])
    let log = AgentLog(file: nil) { text in told.withLock { $0.append(text) } }
    let use = KeyUse(
      purpose: "test", title: "", action: "", caller: Caller(user: 0, process: 1, executable: "/bin/a"),
      key: scene.key.stored, store: scene.keys.store, keyName: "laptop", facts: [], sameness: nil)
    log.note(use, .failed, reason: reason)
    #expect(
      told.withLock(\.self) == ["test by /bin/a (process 1): failed, \(reason.withoutFullStop). Key: laptop"])
  }

  @Test func `the log keeps the latest entries in bounded space, and a damaged line hides no other`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "log")
      let log = AgentLog(file: file) { _ in }
      let caller = Caller(user: 0, process: 1, executable: String(repeating: "x", count: 5000))
      for number in 0..<1500 { log.refuse(caller, "test", "number \(number)") }
      let sizes = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
        try Data(contentsOf: folder.appending(path: $0)).count
      }
      #expect(sizes.count == 2 && sizes.allSatisfy { $0 < AgentLog.fullSize + 4096 })
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("not JSON\n".utf8))
      try handle.close()
      log.refuse(caller, "test", "the last")
      let reasons = try AgentLog.entries(in: file, last: 3).map { $0["reason"] }
      #expect(reasons == ["number 1499", "the last"])
    }
  }

  @Test func `a log that cannot be kept is told, and does not follow a link`() throws {
    try withTemporaryFolder { folder in
      let (file, other) = (folder.appending(path: "log"), folder.appending(path: "other"))
      try Data().write(to: other)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
      let told = Locked<[String]>([])
      let log = AgentLog(file: file) { text in told.withLock { $0.append(text) } }
      log.refuse(Caller(user: 0, process: 1, executable: nil), "test", "x")
      #expect(try Data(contentsOf: other).isEmpty)
      #expect(told.withLock(\.self).last?.hasPrefix("The log cannot be kept") == true)
    }
  }
}
