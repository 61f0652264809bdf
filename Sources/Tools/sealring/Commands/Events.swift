import ArgumentParser
import BindingFormats
import Bytes
import Foundation
import SecurityEvents
import StrictJSON

struct Events: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Show a server's security events: sign-ins, refusals, locks, administrators' acts, changes of devices.",
    discussion: """
      Reads the file that `sealring serve` writes; the server need not be running. --event takes a name or its beginning, \
      such as sign-in or device.removed.
      """)

  @Option(help: "The server's data folder. Default: 'server' in the client's state folder.")
  var data: String?

  @Option(help: "The file of events. Default: events.jsonl in the data folder.")
  var file: String?

  @Option(help: "Only events with this name, or whose name begins with it.")
  var event: String?

  @Option(help: "Only events about this account, or by it.")
  var user: String?

  @Option(help: "Only events of this realm.")
  var realm: String?

  @OptionGroup var time: TimeRange

  @Option(help: "The maximum number of existing events to show; the newest are shown.")
  var limit = 50

  @Option(help: "Skip this many of the newest.")
  var offset = 0

  @Flag(help: "Keep running, and show events as they happen.")
  var follow = false

  @Flag(help: "Print each event as its JSON object from the file.")
  var json = false

  func validate() throws {
    try (0...1_000_000).require(limit, for: "--limit")
    try (0...1_000_000).require(offset, for: "--offset")
  }

  func run() async throws {
    var reader = EventReader(path: path)
    var newest: [JSONObject] = []
    do {
      try reader.readAll { event in
        guard matches(event) else { return }
        newest.append(event)
        // The list is trimmed in large steps, so that the cost stays proportional to the file's length.
        if newest.count >= 2 * max(limit + offset, 500) { newest.removeFirst(newest.count - limit - offset) }
      }
      newest.dropLast(offset).suffix(limit).forEach(show)
      newest = []
      while follow {
        try await Task.sleep(for: .milliseconds(250))
        try reader.readNew { if matches($0) { show($0) } }
      }
    } catch let error as SecurityEventError {
      throw CommandFailure(
        "\(sentence(error.description)) Name the server's folder with --data, or the file with --file.",
        code: access(path, F_OK) == 0 ? .failed : .notFound)
    }
    if reader.damagedLines > 0 {
      Output.remark("\(reader.damagedLines) lines of \(printable(path)) are not events and were skipped.")
    }
  }

  private var path: String {
    if let file = file ?? (data == nil ? CurrentSettings.givenText("serve.events") : nil) { return file }
    let folder = data.map { URL(filePath: $0) } ?? CurrentSettings.serverFolder
    return folder.appending(path: "events.jsonl").path
  }

  private func matches(_ object: JSONObject) -> Bool {
    if let event {
      guard let name = object["event"]?.stringValue, name == event || name.hasPrefix(event) else {
        return false
      }
    }
    guard time.isOpen || Self.time(of: object).map(time.contains) == true else { return false }
    if let realm, object["realm"]?.stringValue != RealmPath(realm).name { return false }
    if let user {
      // A name may have an @ itself; a realm has none.
      let actor = object["actor"]?.stringValue.map { actor in
        actor[..<(actor.utf8.lastIndex(of: UInt8(ascii: "@")) ?? actor.endIndex)]
      }
      let wanted = user.lowercased()
      guard object["account"]?.stringValue?.lowercased() == wanted || actor?.lowercased() == wanted else {
        return false
      }
    }
    return true
  }

  private static func time(of object: JSONObject) -> Date? {
    object["time"]?.stringValue.flatMap { Date(iso8601: $0) }
  }

  private func show(_ object: JSONObject) {
    guard !json else { return Output.line(JSONValue.object(object).lineText) }
    func text(_ name: String) -> String? { object[name]?.stringValue }
    var words = [Self.time(of: object).map { Times.text($0) } ?? "?", text("event") ?? "?"]
    if let account = text("account") { words.append("\(account)@\(text("realm") ?? "?")") }
    if let actor = text("actor") { words.append("by \(actor)") }
    if let address = text("address"), !address.isEmpty { words.append("from \(address)") }
    if let journey = text("journey") { words.append("journey \(journey)") }
    if let factors = object["factors"]?.arrayValue {
      words.append("with \(factors.compactMap(\.stringValue).joined(separator: ", "))")
    }
    if let level = object["level"]?.integerValue { words.append("level \(level)") }
    if let cause = text("cause") { words.append("(\(cause))") }
    if let detail = object["detail"] { words.append(detail.lineText) }
    Output.line(printable(words.joined(separator: "  ")))
  }
}
