import AuthenticatorFixtures
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

/// Keeps what a server recorded.
final class RecordedEvents: SecurityEventSink {
  private let recorded = Locked<[(event: SecurityEvent, durably: Bool)]>([])

  var all: [SecurityEvent] { recorded.withLock { $0.map(\.event) } }

  func record(_ event: SecurityEvent, durably: Bool) async throws {
    recorded.withLock { $0.append((event, durably)) }
  }

  /// The events of a kind.
  func of(_ kind: SecurityEvent.Kind) -> [SecurityEvent] { all.filter { $0.kind == kind } }

  /// Whether each event of the kind was on disk before the answer.
  func areDurable(_ kind: SecurityEvent.Kind) -> Bool {
    recorded.withLock { $0.filter { $0.event.kind == kind }.allSatisfy(\.durably) }
  }
}

extension LocalServer {
  /// Runs `body` with a server whose events are kept.
  static func recording(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    body: @Sendable (LocalServer, RecordedEvents) async throws -> Void
  ) async throws {
    let events = RecordedEvents()
    try await run(
      .router,
      {
        $0.eventSink = events
        configure(&$0)
      },
      body: { try await body($0, events) })
  }
}

@Suite("Security events of the server") struct ServerEventTests {
  @Test func `a sign-in is told with account, realm and journey`() async throws {
    try await LocalServer.recording { server, events in
      _ = try await server.signIn("ada")
      let event = try #require(events.of(.signInSucceeded).first)
      #expect(event.account == "ada" && event.realm == "alpha" && event.journey == "Login")
      #expect(event.outcome == .success && event.time == server.clock.now)
    }
  }

  @Test func `a refused sign-in is told with its true cause, which the client does not learn`() async throws {
    try await LocalServer.recording { server, events in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong"))
      #expect(answer.status == 401 && answer.message == "Login failure")
      let event = try #require(events.of(.signInRefused).first)
      #expect(event.account == "ada" && event.outcome == .refused)
      #expect(event.cause?.contains("the password is wrong") == true)
    }
  }

  @Test func `a success that may not become a session is told as refused`() async throws {
    try await LocalServer.recording { server, events in
      let step = try await server.start("Trusting")
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "zoe"))
      #expect(answer.status == 401)
      #expect(events.of(.signInRefused).first?.cause?.contains("no active account") == true)
      #expect(events.of(.signInSucceeded).isEmpty)
    }
  }

  @Test func `a request that is refused is told with what was asked for`() async throws {
    try await LocalServer.recording { server, events in
      let token = try await server.signIn("ada")
      _ = try await server.call(.get, "\(LocalServer.alpha)/users/bob", token: token)
      let event = try #require(events.of(.requestRefused).first)
      #expect(event.detail["status"] == 403 && event.detail["method"] == "GET")
      #expect(event.cause?.contains("ada") == true)
    }
  }
}

@Suite("Administrators' acts and changes of factors, as events") struct ActEventTests {
  @Test func `each act of an administrator is on disk before the answer, with who did it to whom`()
    async throws
  {
    try await LocalServer.recording { server, events in
      let admin = try await server.signInAdministrator()
      let users = "\(LocalServer.alpha)/users"
      let created = try await server.call(
        .post, "\(users)?_action=create", token: admin,
        body: ["username": "eve", "userpassword": "seven grey herons"])
      #expect(created.status == 201)
      _ = try await server.call(
        .put, "\(users)/eve", token: admin,
        body: ["userpassword": "eight grey herons", "inetUserStatus": "Inactive", "mail": ["e@example.com"]])
      _ = try await server.call(.put, "\(users)/eve", token: admin, body: ["inetUserStatus": "Active"])
      _ = try await server.call(.delete, "\(users)/eve", token: admin)
      for kind: SecurityEvent.Kind in [
        .accountCreated, .passwordReset, .accountDeactivated, .accountActivated, .accountChanged,
        .accountDeleted,
      ] {
        let event = try #require(events.of(kind).first, "\(kind)")
        #expect(event.account == "eve" && event.realm == "alpha" && event.actor == "amAdmin@root", "\(kind)")
        #expect(events.areDurable(kind), "\(kind)")
      }
      #expect(events.of(.accountChanged).first?.detail["members"] == ["inetUserStatus", "mail"])
      #expect(!events.all.contains { $0.line.contains("herons") }, "no password is in an event")
      let made = try await server.call(
        .post, "\(LocalServer.alpha)/applications?_action=create", token: admin, body: ["name": "Shop"])
      let id = try #require(made["_id"]?.stringValue)
      _ = try await server.call(.delete, "\(LocalServer.alpha)/applications/\(id)", token: admin)
      #expect(events.of(.applicationCreated).first?.detail["name"] == "Shop")
      #expect(events.of(.applicationDeleted).first?.detail["application"] == .string(id))
      #expect(!events.all.contains { $0.line.contains(made["secret"]?.stringValue ?? "?") })
    }
  }

  @Test func `what was refused is not an act`() async throws {
    try await LocalServer.recording { server, events in
      let ada = try await server.signIn("ada")
      _ = try await server.call(.delete, "\(LocalServer.alpha)/users/bob", token: ada)
      _ = try await server.call(
        .put, "\(LocalServer.alpha)/users/ada", token: ada, body: ["inetUserStatus": "Inactive"])
      #expect(events.of(.accountDeleted).isEmpty && events.of(.accountDeactivated).isEmpty)
      #expect(events.of(.requestRefused).map(\.account) == ["ada", "ada"])
    }
  }

  @Test func `a passkey that comes and goes, its recovery codes, and sign-outs are told`() async throws {
    try await LocalServer.recording(LocalServer.bundled) { server, events in
      try await server.register(SoftAuthenticator())
      let added = try #require(events.of(.deviceAdded).first)
      #expect(
        added.account == "ada" && added.detail["kind"] == "webauthn" && added.journey == "WebAuthnRegister")
      #expect(events.of(.recoveryCodesMade).first?.account == "ada")
      let token = try await server.signIn("ada")
      let devices = "\(LocalServer.alpha)/users/ada/devices/2fa/webauthn"
      let id = try #require(added.detail["device"]?.stringValue)
      _ = try await server.call(.put, "\(devices)/\(id)", token: token, body: ["deviceName": "Key"])
      _ = try await server.call(.delete, "\(devices)/\(id)", token: token)
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/users/ada/devices/2fa/push?_action=reset", token: token, body: [:])
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: token, body: [:])
      for kind: SecurityEvent.Kind in [
        .deviceAdded, .recoveryCodesMade, .deviceRenamed, .deviceRemoved, .devicesReset, .sessionEnded,
      ] {
        #expect(events.of(kind).count == 1 && events.areDurable(kind), "\(kind)")
        #expect(events.of(kind).first?.actor == nil, "\(kind): by the account itself")
      }
      #expect(events.of(.signInSucceeded).last?.factors == ["password"])
    }
  }

  @Test func `the fifth wrong password is told as the begin of a lock, once`() async throws {
    try await LocalServer.recording { server, events in
      for _ in 1...7 {
        let step = try await server.start()
        _ = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong"))
      }
      #expect(events.of(.lockBegan).map(\.account) == ["ada"])
      #expect(events.of(.lockBegan).first?.detail["kind"] == "guesses")
    }
  }

  @Test func `when the event cannot be written, the answer is 503 and says no more`() async throws {
    struct Full: SecurityEventSink {
      func record(_ event: SecurityEvent, durably: Bool) async throws {
        if durably { throw SecurityEventError("disk full") }
      }
    }
    try await LocalServer.run(.router, { $0.eventSink = Full() }) { server in
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(.delete, "\(LocalServer.alpha)/users/bob", token: admin)
      #expect(answer.status == 503 && answer.message?.contains("disk") == false)
      #expect(server.log.withLock { $0.contains { $0.contains("disk full") } })
    }
  }
}

@Suite("The server's log") struct EscapingLogTests {
  static let hostile = [
    "x\n2026-12-01T00:00:00Z notice sealring: forged", "\u{1B}[2J", "\u{202E}reversed", "\u{2028}", "a\rb",
  ]

  @Test(arguments: hostile)
  func `no message or value ends a line or hides text`(_ text: String) {
    let lines = Locked<[String]>([])
    var logger = Logger(label: "test") { _ in LogRecorder(lines: lines) }.escaping
    logger[metadataKey: "always"] = "\(text)"
    logger.notice(
      "\(text)",
      metadata: [
        "text": "\(text)", "list": ["\(text)"], "members": ["inner": "\(text)"],
        "other": .stringConvertible(Described(description: text)),
      ])
    logger.error("failed", error: Described(description: text))
    let logged = lines.withLock { $0 }
    #expect(logged.count == 2)
    #expect(logged.allSatisfy { $0.isFitForLine }, "\(logged)")
  }

  private struct Described: Error, CustomStringConvertible, Sendable { let description: String }

  @Test func `text without such characters stays as it is`() {
    let lines = Locked<[String]>([])
    Logger(label: "test") { _ in LogRecorder(lines: lines) }.escaping.notice(#"Grüße, "\ada" 日本"#)
    #expect(lines.withLock { $0 } == [#"notice Grüße, "\ada" 日本"#])
  }

  @Test func `a browser's origin with line breaks forges neither a line of the log nor an event`()
    async throws
  {
    try await LocalServer.recording(LocalServer.bundled) { server, events in
      var passkey = SoftAuthenticator()
      try await server.register(passkey)
      let step = try await server.startSignIn()
      let text = try passkey.authenticate(challenge: step.challenge) {
        $0.origin = #"x\n2026-12-01T00:00:00Z notice sealring: forged"#
      }
      #expect(try await server.answer(step, text).status == 401)
      let lines = server.log.withLock { $0.filter { $0.contains("forged") } }
      #expect(!lines.isEmpty)
      #expect(lines.allSatisfy { $0.isFitForLine }, "\(lines)")
      let event = try #require(events.of(.signInRefused).last)
      #expect(event.cause?.contains("forged") == true)
      #expect(event.line.dropLast().isFitForLine)
    }
  }
}
