import Concurrency
import Foundation
import HTTPTypes
import Logging
import StrictJSON
import Testing

@testable import Operations
@testable import ServerHTTP

@Suite("The log as JSON") struct JSONLogTests {
  @Test func `a line is one object, whatever is in it`() throws {
    let lines = Locked<[String]>([])
    var logger = Logger(label: "sealring") { label in
      LineLogHandler(.json(label: label), clock: { Date(timeIntervalSince1970: 1_800_000_000.25) }) { line in
        lines.withLock { $0.append(line) }
      }
    }
    logger[metadataKey: "hb.request.id"] = "r1"
    logger.warning(
      "two\nlines \u{1b}[2J \u{202e}",
      metadata: ["time": "forged", "user": "mira\"}", "names": .array(["a", "b"]), "more": ["n": "1"]])
    let line = try #require(lines.withLock { $0 }.first)
    #expect(line.hasSuffix("}\n") && line.dropLast().isFitForLine)
    let object = try JSONValue(parsing: Array(line.utf8))
    #expect(object["time"] == "2027-01-15T08:00:00.250Z")
    #expect(object["level"] == "warning" && object["label"] == "sealring" && object["requestId"] == "r1")
    #expect(object["message"] == "two\nlines \u{1b}[2J \u{202e}")
    #expect(object["user"] == "mira\"}" && object["names"] == ["a", "b"] && object["more"]?["n"] == "1")
    #expect(object["metadata.time"] == "forged")
  }

  @Test func `what browsers ask for by themselves is not a notice`() async throws {
    try await LocalServer.run { server in
      for path in ["/favicon.ico", "/nothing"] { _ = try await server.call(.get, path) }
      let lines = server.log.withLock { $0 }.filter { $0.contains("request refused") }
      #expect(lines.first { $0.contains("/favicon.ico") }?.hasPrefix("debug") == true, "\(lines)")
      #expect(lines.first { $0.contains("/nothing") }?.hasPrefix("notice") == true)
    }
  }

  @Test func `a path is written once, and a status is a number`() async throws {
    let lines = Locked<[String]>([])
    let logger = Logger(label: "sealring") { label in
      LineLogHandler(.json(label: label)) { line in lines.withLock { $0.append(line) } }
    }.escaping
    logger.notice("request refused", metadata: ["status": .stringConvertible(404), "path": "/am/\"x"])
    let object = try JSONValue(parsing: Array(try #require(lines.withLock { $0.first }).utf8))
    #expect(object["status"] == 404 && object["path"] == "/am/\"x")
  }

  @Test func `values with blanks stand in quotation marks in a log of text`() {
    let captured = CapturedMetadata()
    var logger = Logger(label: "t") { _ in EscapingLogHandler(captured, quotesValues: true) }
    logger.logLevel = .info
    logger.info(
      "x",
      metadata: [
        "reason": "wrong node=1 \"a\"", "path": "/am", "none": "", "status": .stringConvertible(401),
        "marks": "\u{301}a\n",
      ])
    let found = captured.values.withLock { $0 }
    #expect(found["reason"] == #""wrong node=1 \"a\"""# && found["path"] == "/am")
    #expect(found["none"] == #""""# && found["status"] == "401")
    #expect(found["marks"] == "\u{301}a\\n")
  }

  @Test func `a line of text begins with time, level and message`() {
    let lines = Locked<[String]>([])
    var logger = Logger(label: "t") { _ in
      EscapingLogHandler(
        LineLogHandler(.text, clock: { Date(timeIntervalSince1970: 1_800_000_000.25) }) { line in
          lines.withLock { $0.append(line) }
        }, quotesValues: true)
    }
    logger.logLevel = .info
    logger.error("the store\ndoes not answer", metadata: ["user": "mira b", "at": "x"])
    #expect(
      lines.withLock { $0 } == [
        #"2027-01-15T08:00:00.250Z error the store\ndoes not answer at=x user="mira b""# + "\n"
      ])
  }

  @Test func `a refused sign-in names its journey and, as far as known, its user`() async throws {
    try await LocalServer.run { server in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "nothing"))
      #expect(answer.status == 401)
      let line = try #require(server.log.withLock { $0 }.last { $0.contains("request refused") })
      #expect(line.contains("journey") && line.contains("Login") && line.contains("ada"), "\(line)")
    }
  }
}

/// Keeps the metadata of the last line.
private struct CapturedMetadata: LogHandler {
  let values = Locked<[String: String]>([:])
  var logLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    values.withLock { $0 = (event.metadata ?? [:]).mapValues { "\($0)" } }
  }
}
