import CommonFixtures
import Concurrency
import Foundation
import Logging
import StrictJSON
import Testing

@testable import SecurityEvents

private func events(in path: String) throws -> [JSONObject] {
  var events: [JSONObject] = []
  var reader = EventReader(path: path)
  try reader.readAll { events.append($0) }
  return events
}

@Suite("The file of security events")
struct EventFileTests {
  @Test func `holds one JSON object a line, in the order of recording, for its owner alone`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let file = EventFile(path: path)
      for number in 1...20 {
        try await file.record(
          SecurityEvent(.signInSucceeded, account: "u\(number)"), durably: number.isMultiple(of: 2))
      }
      #expect(try events(in: path).map { $0["account"]?.stringValue } == (1...20).map { "u\($0)" })
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `a hundred recorded at once are all there, each on a line of its own`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let file = EventFile(path: path)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...100 {
          group.addTask {
            try await file.record(SecurityEvent(.lockBegan, account: "u\(number)"), durably: true)
          }
        }
        try await group.waitForAll()
      }
      #expect(Set(try events(in: path).compactMap { $0["account"]?.stringValue }).count == 100)
    }
  }

  @Test func `a full file is turned over; the oldest goes, and what is kept reads as one`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let line = SecurityEvent(.signInSucceeded, account: "u10").line.utf8.count
      let file = EventFile(path: path, sizeLimit: 3 * line, keep: 2)
      for number in 10..<30 {
        try await file.record(SecurityEvent(.signInSucceeded, account: "u\(number)"), durably: false)
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "events.jsonl", "events.jsonl.1", "events.jsonl.2", "events.jsonl.lock",
        ])
      #expect(try events(in: path).map { $0["account"]?.stringValue } == (22..<30).map { "u\($0)" })
    }
  }

  @Test func `a crash between two renames hides nothing, and the next turn closes the gap`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let line = SecurityEvent(.signInSucceeded, account: "u0").line.utf8.count
      func record(_ numbers: Range<Int>) async throws {
        let file = EventFile(path: path, sizeLimit: line, keep: 5)
        for number in numbers {
          try await file.record(SecurityEvent(.signInSucceeded, account: "u\(number)"), durably: false)
        }
      }
      try await record(0..<3)
      // The current file should have become the first full one now.
      for number in [2, 1] { #expect(rename("\(path).\(number)", "\(path).\(number + 1)") == 0) }
      #expect(try events(in: path).map { $0["account"]?.stringValue } == ["u0", "u1", "u2"])
      try await record(3..<5)
      #expect(try events(in: path).map { $0["account"]?.stringValue } == (0..<5).map { "u\($0)" })
      #expect(try EventFiles.open(at: path).map { $0.number } == Array(0..<5))
    }
  }

  @Test(arguments: [
    // While the oldest is read, the files rotate so often; where there is a free number, the oldest stays where it is.
    (numbers: [2, 1], rotations: 1), (numbers: [2, 1], rotations: 2), (numbers: [3, 1], rotations: 1),
    (numbers: [3, 1], rotations: 2),
  ])
  func `rotations during the reading skip no file and repeat none`(numbers: [Int], rotations: Int) throws {
    try withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      func write(_ account: String, to path: String) throws {
        try Data(SecurityEvent(.signInSucceeded, account: account).line.utf8).write(to: URL(filePath: path))
      }
      for (account, number) in zip(["u0", "u1"], numbers) { try write(account, to: "\(path).\(number)") }
      try write("u2", to: path)
      var found: [String] = []
      var reader = EventReader(path: path)
      try reader.readAll { event in
        found.append(event["account"]?.stringValue ?? "")
        guard found.count == 1 else { return }
        for turn in 0..<rotations {
          let free = (1...).first { access("\(path).\($0)", F_OK) != 0 } ?? 1
          for number in (1..<free).reversed() {
            #expect(rename("\(path).\(number)", "\(path).\(number + 1)") == 0)
          }
          #expect(rename(path, "\(path).1") == 0)
          try write("u\(turn + 3)", to: path)
        }
      }
      try reader.readNew { found.append($0["account"]?.stringValue ?? "") }
      #expect(found == (0..<3 + rotations).map { "u\($0)" })
    }
  }

  @Test func `two processes share one file, also while it is turned over`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let files = [1, 2].map { _ in EventFile(path: path, sizeLimit: 2000, keep: 100) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask { [file = files[number % 2]] in
            try await file.record(SecurityEvent(.signInRefused, account: "u\(number)"), durably: false)
          }
        }
        try await group.waitForAll()
      }
      #expect(Set(try events(in: path).compactMap { $0["account"]?.stringValue }).count == 200)
    }
  }

  @Test func `a line that a crash tore is passed over and the next one stands alone`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      try Data(#"{"version":1,"event":"sign-in.suc"#.utf8).write(to: URL(filePath: path))
      try await EventFile(path: path).record(SecurityEvent(.lockBegan, account: "ada"), durably: true)
      var found: [JSONObject] = []
      var reader = EventReader(path: path)
      try reader.readAll { found.append($0) }
      #expect(found.map { $0["account"]?.stringValue } == ["ada"])
      #expect(reader.damagedLines == 1)
    }
  }

  @Test func `a line that another process tore takes no event of this one with it`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let file = EventFile(path: path)
      try await file.record(SecurityEvent(.lockBegan, account: "ada"), durably: true)
      let other = try #require(FileHandle(forWritingAtPath: path))
      try other.seekToEnd()
      try other.write(contentsOf: Data(#"{"version":1,"event":"sign-in.suc"#.utf8))
      try other.close()
      try await file.record(SecurityEvent(.lockBegan, account: "bob"), durably: true)
      #expect(try events(in: path).map { $0["account"]?.stringValue } == ["ada", "bob"])
    }
  }

  @Test(arguments: ["link", "folder", "missing"])
  func `a link, a folder or a missing folder is refused with its name`(_ kind: String) async throws {
    try await withTemporaryFolder { folder in
      var path = folder.appending(path: "events.jsonl").path
      let target = folder.appending(path: "target").path
      switch kind {
      case "link": #expect(symlink(target, path) == 0)
      case "folder": #expect(mkdir(path, 0o700) == 0)
      default: path = folder.appending(path: "no/events.jsonl").path
      }
      let error = await #expect(throws: SecurityEventError.self) { try await EventFile(path: path).open() }
      #expect(error?.description.contains(path) == true)
      #expect(access(target, F_OK) != 0)
    }
  }

  @Test func `a file that others could read is closed to them`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      try Data().write(to: URL(filePath: path))
      #expect(chmod(path, 0o644) == 0)
      try await EventFile(path: path).open()
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `whoever follows the file reads on across the turn`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "events.jsonl").path
      let line = SecurityEvent(.signInSucceeded, account: "u0").line.utf8.count
      let file = EventFile(path: path, sizeLimit: 2 * line, keep: 5)
      try await file.record(SecurityEvent(.signInSucceeded, account: "u0"), durably: false)
      var found: [String] = []
      var reader = EventReader(path: path)
      try reader.readAll { found.append($0["account"]?.stringValue ?? "") }
      for number in 1..<4 {
        try await file.record(SecurityEvent(.signInSucceeded, account: "u\(number)"), durably: false)
        try reader.readNew { found.append($0["account"]?.stringValue ?? "") }
      }
      #expect(found == ["u0", "u1", "u2", "u3"])
    }
  }
}

@Suite("Security events")
struct SecurityEventTests {
  static let hostile = [
    "x\n{\"event\":\"account.created\"}", "x\r\n", "a\u{1B}[2Jb", "\u{202E}gnorts", "\u{2028}line",
    "nul\u{0}", "\u{85}",
  ]

  @Test(arguments: hostile)
  func `nothing from outside ends the line or reorders it`(_ text: String) throws {
    var event = SecurityEvent(
      .signInRefused, realm: text, account: text, actor: text, journey: text, factors: [text], cause: text,
      detail: ["a": .string(text)])
    event.address = text
    let line = event.line
    #expect(line.last == "\n")
    #expect(line.dropLast().isFitForLine)
    let object = try #require(try JSONValue(parsing: Array(line.utf8)).objectValue)
    #expect(object["account"] == .string(text))
    #expect(object["detail"]?["a"] == .string(text))
  }

  @Test func `the account's id stands beside its name, where it is known`() {
    let event = SecurityEvent(.deviceAdded, realm: "alpha", account: "ada", accountID: "a-1", actor: "x@root")
    #expect(
      event.json.names == ["version", "time", "event", "outcome", "realm", "account", "accountId", "actor"])
    #expect(event.json["accountId"] == "a-1")
    #expect(SecurityEvent(.deviceAdded, account: "ada").json["accountId"] == nil)
  }

  @Test func `text without end is cut`() {
    let line = SecurityEvent(.signInRefused, account: String(repeating: "a", count: 100_000)).line
    #expect(line.utf8.count < 2000)
  }

  @Test func `the time is the server's clock in RFC 3339, with milliseconds`() {
    var event = SecurityEvent(.lockBegan)
    event.time = Date(timeIntervalSince1970: 1_800_000_000.25)
    #expect(event.json["time"] == "2027-01-15T08:00:00.250Z")
  }

  @Test func `each kind is in the documented schema, and nothing else is`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/events.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.firstMatch(of: /^\| `([a-z]+(?:-[a-z]+)*\.[a-z-]+)`/).map { String($0.1) } }
    #expect(Set(rows) == Set(SecurityEvent.Kind.allCases.map(\.rawValue)))
    #expect(rows.count == Set(rows).count)
  }

  @Test func `what cannot be written is logged, and what must be durable is thrown, too`() async throws {
    struct Broken: SecurityEventSink {
      func record(_ event: SecurityEvent, durably: Bool) async throws {
        throw SecurityEventError("disk full")
      }
    }
    let lines = Locked<[String]>([])
    let events = SecurityEvents(
      sink: Broken(), clock: { Date(timeIntervalSince1970: 1_800_000_000) },
      logger: Logger(label: "test") { _ in LogRecorder(lines: lines) })
    await SecurityEvents.$clientAddress.withValue("192.0.2.1") {
      await events.note(SecurityEvent(.signInSucceeded))
      await #expect(throws: SecurityEventError.self) {
        try await events.require(SecurityEvent(.accountDeleted, account: "ada", actor: "eve@root"))
      }
    }
    let logged = lines.withLock { $0 }
    #expect(logged.count == 2)
    for (line, words) in zip(logged, [["sign-in.succeeded"], ["account.deleted", "ada", "eve@root"]]) {
      for word in words + ["disk full", "2027-01-15T08:00:00.000Z", "192.0.2.1"] {
        #expect(line.contains(word), "\(line)")
      }
    }
  }
}
