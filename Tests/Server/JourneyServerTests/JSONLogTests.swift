import Concurrency
import Foundation
import HTTPTypes
import Logging
import StrictJSON
import Testing

@testable import JourneyServer

@Suite("The log as JSON") struct JSONLogTests {
  @Test("A line is one object, whatever is in it")
  func oneObject() throws {
    let lines = Locked<[String]>([])
    var logger = Logger(label: "sealring") { label in
      JSONLogHandler(label: label, clock: { Date(timeIntervalSince1970: 1_800_000_000.25) }) { line in
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

  @Test("A refused sign-in names its journey and, as far as known, its user")
  func refusal() async throws {
    try await TestServer.run { server in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(TestServer.alpha)/authenticate", body: TestServer.reply(to: step, "ada", "nothing"))
      #expect(answer.status == 401)
      let line = try #require(server.log.withLock { $0 }.last { $0.contains("request refused") })
      #expect(line.contains("journey") && line.contains("Login") && line.contains("ada"), "\(line)")
    }
  }
}
