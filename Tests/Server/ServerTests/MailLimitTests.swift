import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import JourneyEngine
import JourneyStore
import JourneyStorePostgres
import MailService
import PostgresFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

/// Keeps mail for the test.
private final class KeptMail: MailTransport {
  let texts = Locked<[String]>([])

  func send(_ bytes: [UInt8], from: MailAddress, to: MailAddress, id: String) async throws {
    texts.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
  }

  /// The ids of the links, in the order of the mails.
  var ids: [String] {
    texts.withLock { $0 }.compactMap { mail in
      let lines = mail.replacing("\r\n", with: "\n").components(separatedBy: "\n\n").dropFirst().joined()
      guard let body = Data(base64Encoded: lines, options: .ignoreUnknownCharacters) else { return nil }
      return String(decoding: body, as: UTF8.self).firstMatch(of: /suspendedId=([A-Za-z0-9_-]{43})/).map {
        String($0.1)
      }
    }
  }
}

@Suite("How much mail an address gets") struct MailLimitTests {
  private static let window = 300.0

  private func withEachStore(_ body: (any ServerStore) async throws -> Void) async throws {
    try await body(try SQLiteStore.inMemory())
    let folder = try TemporaryFolder.make()
    let store = try await PostgresStore.open(
      try await PostgresServer.shared.createDatabase(), directory: folder.url)
    try await body(store)
    try await store.close()
    withExtendedLifetime(folder) {}
  }

  private func mail(
    _ link: MailMessage.LinkFacts? = nil, to address: String = "ada@example.com"
  ) throws -> MailMessage {
    var mail = MailMessage(
      from: .standard, to: try #require(MailAddress(address)), subject: "Subject", text: "Text")
    mail.link = link
    return mail
  }

  private func link(_ requester: String = "192.0.2.1", _ purpose: String = "reset") -> MailMessage.LinkFacts {
    MailMessage.LinkFacts(purpose: purpose, requester: requester)
  }

  /// How many of the messages may be sent, all asked for at once.
  private func allowed(_ messages: [MailMessage], by limits: MailLimits) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for message in messages { group.addTask { try await limits.allows(message) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  @Test func `of fifty links that one network asks for at once two are sent, and the owner's own goes out`()
    async throws
  {
    try await withEachStore { store in
      let limits = MailLimits(store: store, linkLifetime: Self.window) { LocalServer.morning }
      #expect(try await allowed((0..<50).map { _ in try mail(link()) }, by: limits) == 2)
      #expect(try await allowed([try mail(link("2001:db8::7"))], by: limits) == 1)
      // What stands for one household asks as one, and so does one address that is written in two ways.
      let others = try (1...20).map { try mail(link("2001:db8::\($0)"), to: "ADA@example.com") }
      #expect(try await allowed(others, by: limits) == 1)
      // Another journey's mail is another link's.
      #expect(try await allowed([try mail(link("192.0.2.1", "username"))], by: limits) == 1)
      #expect(try await allowed([try mail(link(), to: "bob@example.com")], by: limits) == 1)
    }
  }

  @Test
  func `of fifty networks that ask at once four get a link sent, and each is good until another may be sent`()
    async throws
  {
    try await withEachStore { store in
      for lifetime in [60, Self.window, 86_400] {
        let address = "lifetime\(Int(lifetime))@example.com"
        let flood = try (0..<50).map { try mail(link("192.0.2.\($0)"), to: address) }
        // The last moment of a time over which links are counted.
        let window = MailLimits(store: store, linkLifetime: lifetime) { .now }.linkWindow
        #expect(window <= lifetime && window <= 600)
        let start = (LocalServer.morning.timeIntervalSince1970 / window).rounded(.up) * window
        func limits(_ time: TimeInterval) -> MailLimits {
          MailLimits(store: store, linkLifetime: lifetime) { Date(timeIntervalSince1970: start + time) }
        }
        #expect(try await allowed(flood, by: limits(0)) == 4)
        #expect(try await allowed(flood, by: limits(window - 1)) == 0)
        #expect(try await allowed([try mail(link("198.51.100.1"), to: address)], by: limits(window)) == 1)
      }
    }
  }

  @Test func `links that live for seconds are sixty an hour, and messages without links five`() async throws {
    try await withEachStore { store in
      var sent = 0
      for second in 0..<16 {
        let limits = MailLimits(store: store, linkLifetime: 1) {
          LocalServer.morning.addingTimeInterval(Double(second))
        }
        sent += try await allowed((0..<4).map { try mail(link("192.0.2.\($0)")) }, by: limits)
      }
      #expect(sent == 60)
      let limits = MailLimits(store: store, linkLifetime: 1) { LocalServer.morning }
      #expect(try await allowed((0..<50).map { _ in try mail() }, by: limits) == 5)
    }
  }

  private static let journey = TestJourneys.file(
    "Reset", entry: "name",
    nodes: [
      "name": TestJourneys.Node(type: "UsernameCollectorNode", connections: ["outcome": "link"]),
      "link": TestJourneys.Node(
        type: "EmailSuspendNode", connections: ["outcome": TestJourneys.success],
        properties: ["emailTemplateName": "reset", "objectLookup": true, "identityAttribute": "userName"]),
    ])

  @Test
  func `fifty who ask for one account's link at once get one answer, and its owner can go on by the mail`()
    async throws
  {
    let (mail, folder) = (KeptMail(), try TemporaryFolder.make())
    try folder.write(Self.journey.serialized, to: "alpha/Reset.journey.json")
    try await LocalServer.run {
      $0.journeysDirectory = folder.url
      $0.publicURL = "https://id.example.com/am"
      $0.mail.delivery = .transport(mail)
    } body: { server in
      func ask(for name: String) async throws -> Answer {
        try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: server.start("Reset"), name)
        )
      }
      func resume(_ id: String) async throws -> Int {
        try await server.call(.post, "\(LocalServer.alpha)/authenticate?suspendedId=\(id)", body: [:]).status
      }
      let unknown = try await ask(for: "ghost")
      let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for _ in 0..<50 { group.addTask { try await ask(for: "ada") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      await server.server.mail?.drain()
      // Nobody learns from an answer whether there was mail, or an account.
      #expect(answers.allSatisfy { $0.status == 200 && $0["callbacks"] == unknown["callbacks"] })
      #expect(unknown["callbacks"]?[0]?["type"] == "SuspendedTextOutputCallback")
      #expect(mail.ids.count == 2)
      // The flood has ended nobody's link: the first one in the mailbox is as good as the last.
      for id in mail.ids { #expect(try await resume(id) == 200) }
      _ = try await ask(for: "ada")
      await server.server.mail?.drain()
      #expect(mail.ids.count == 2)
      server.clock.advance(by: 300)
      _ = try await ask(for: "ada")
      await server.server.mail?.drain()
      #expect(mail.ids.count == 3)
      #expect(try await resume(try #require(mail.ids.last)) == 200)
    }
  }
}
