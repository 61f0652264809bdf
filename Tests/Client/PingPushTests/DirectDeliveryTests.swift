import CommonFixtures
import Concurrency
import Foundation
import PingStorage
import StrictJSON
import Testing

@testable import PingPush

/// Messages that the device fetches itself: polls and streams, against `push_am_standin.py --direct`.
@Suite(.timeLimit(.minutes(2))) struct DirectDeliveryTests {
  private func withDevice(_ body: (StandIn, PushClient, PushCredential) async throws -> Void) async throws {
    try await StandIn.with(direct: true) { server in
      let client = try await makeClient(MemoryPushStorage())
      let credential = try await client.addCredentialFromUri(try await server.enrol())
      try await body(server, client, credential)
      await client.close()
    }
  }

  @Test func `what waits at the server is fetched, once`() async throws {
    try await withDevice { server, client, credential in
      #expect(try await client.fetchNotifications().isEmpty)
      let pushed = try await server.push(to: credential.id)
      let first = try await client.fetchNotifications()
      #expect(first.map(\.messageId) == [pushed.messageID])
      // It is still open, and still the same one.
      let again = try await client.fetchNotifications()
      #expect(again.map(\.id) == first.map(\.id))
      #expect(try await client.getAllNotifications().count == 1)
      #expect(try await client.approveNotification(first[0].id))
      #expect(try await client.fetchNotifications().isEmpty)
    }
  }

  @Test func `a fetch that waits returns when a question comes`() async throws {
    try await withDevice { server, client, credential in
      async let fetched = client.fetchNotifications(wait: 25)
      try await eventually("the device polls") { try await !server.requests("poll").isEmpty }
      let pushed = try await server.push(to: credential.id)
      let notifications = try await fetched
      #expect(notifications.map(\.messageId) == [pushed.messageID])
    }
  }

  @Test func `questions come over the stream, also after it broke`() async throws {
    try await withDevice { server, client, credential in
      let before = try await server.push(to: credential.id)
      var questions = client.notifications().makeAsyncIterator()
      #expect(await questions.next()?.messageId == before.messageID)
      let second = try await server.push(to: credential.id, type: "challenge", code: "123456")
      let notification = try #require(await questions.next())
      #expect(notification.messageId == second.messageID && notification.codeLength == 6)
      try await server.endStreams()
      let third = try await server.push(to: credential.id)
      #expect(await questions.next()?.messageId == third.messageID)
      #expect(try await server.streams().opened >= 2)
      #expect(try await server.requests("poll").isEmpty)
    }
  }

  @Test func `refusals and failures of the stream are overcome`() async throws {
    try await withDevice { server, client, credential in
      try await server.fail(500, 503, 401)
      var questions = client.notifications().makeAsyncIterator()
      let pushed = try await server.push(to: credential.id)
      #expect(await questions.next()?.messageId == pushed.messageID)
    }
  }

  @Test func `a server without a stream is polled`() async throws {
    try await withDevice { server, client, credential in
      try await server.fail(404)
      var questions = client.notifications().makeAsyncIterator()
      try await eventually("the device polls") { try await !server.requests("poll").isEmpty }
      let pushed = try await server.push(to: credential.id)
      #expect(await questions.next()?.messageId == pushed.messageID)
      #expect(try await server.streams().opened == 0)
    }
  }

  @Test func `a credential that is added later is listened for`() async throws {
    try await StandIn.with(direct: true) { server in
      let client = try await makeClient(MemoryPushStorage())
      var questions = client.notifications().makeAsyncIterator()
      let credential = try await client.addCredentialFromUri(try await server.enrol())
      let pushed = try await server.push(to: credential.id)
      #expect(await questions.next()?.messageId == pushed.messageID)
      await client.close()
    }
  }

  @Test func `closing ends streams and fetches`() async throws {
    try await withDevice { server, client, _ in
      let questions = client.notifications()
      try await eventually("the stream is open") { try await server.streams().open > 0 }
      let fetching = Task { try await client.fetchNotifications(wait: 30) }
      try await eventually("the device polls") { try await !server.requests("poll").isEmpty }
      await client.close()
      for await _ in questions { Issue.record("nothing was sent") }
      await #expect(throws: (any Error).self) { try await fetching.value }
      await #expect { try await client.fetchNotifications() } throws: {
        if case PushError.notInitialized = $0 { true } else { false }
      }
    }
  }

  @Test func `who stops reading ends the stream`() async throws {
    try await withDevice { server, client, _ in
      let reader = Task { for await _ in client.notifications() {} }
      try await eventually("the stream is open") { try await server.streams().open > 0 }
      reader.cancel()
      await reader.value
      // The server notices with its next keep-alive at the latest.
      try await server.endStreams()
      try await eventually("the stream is closed") { try await server.streams().open == 0 }
    }
  }

  // MARK: Server-sent events (HTML Living Standard §9.2.6)

  @Test(arguments: [
    ("data: one\n\n", ["one"]), ("data:one\r\n\r\ndata: two\r\r", ["one", "two"]),
    (": comment\n\ndata: x\nid: 3\nevent: e\n\n", ["x"]), ("data: a\ndata: b\n\n", ["a\nb"]),
    ("data\n\n", [""]), ("data: never ended", []), ("\u{FEFF}data: marked\n\n", ["marked"]), ("\n\n\n", []),
  ])
  func `events are read wherever they are cut`(text: String, events: [String]) throws {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var parser = EventStreamParser(limit: 1024)
      let read = try parser.parse(bytes[..<cut]) + parser.parse(bytes[cut...])
      #expect(read.map { String(decoding: $0, as: UTF8.self) } == events)
    }
  }

  @Test func `an event without end is refused`() {
    var parser = EventStreamParser(limit: 64)
    #expect(throws: EventStreamParser.TooLarge.self) {
      for _ in 0..<100 { _ = try parser.parse("data: 0123456789\n".utf8) }
    }
  }

  @Test func `pauses grow to a minute and a quarter`() {
    for failures in 0...100 {
      let pause = PushClient.pause(afterFailures: failures, atLeast: nil)
      #expect(pause <= .seconds(75) && (failures == 0 || pause >= .seconds(1)))
    }
    #expect(PushClient.pause(afterFailures: 0, atLeast: 5000) >= .seconds(5))
    #expect(PushClient.pause(afterFailures: 0, atLeast: .max) <= .seconds(75))
  }
}
