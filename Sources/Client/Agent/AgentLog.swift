internal import Bytes
internal import Concurrency
package import Foundation
internal import PersonPrompts
internal import PrivateFiles
package import StrictJSON
internal import TerminalText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The log of requests to the agent and its answers: a file that only its owner may read, with one JSON object per line.
///
/// It keeps at least the last 256 KiB, and at most twice that. Like all of the user's files, other programs of the user can change it.
package struct AgentLog: Sendable {
  package enum Answer: String, Sendable {
    case done, refused, failed
  }

  /// The size from which a file is put aside, in bytes.
  static let fullSize = 256 << 10
  private static let longestText = 300

  private let file: URL?
  private let clock: @Sendable () -> Date
  private let tell: @Sendable (String) -> Void
  /// The text that waits for the end of a question; `nil` while nobody is asked.
  private let held = Locked<HeldText?>(nil)

  /// - Parameters:
  ///   - file: A file in an existing folder; `nil` keeps nothing.
  ///   - tell: Receives each line as text for people.
  package init(
    file: URL?, clock: @escaping @Sendable () -> Date = { Date() }, tell: @escaping @Sendable (String) -> Void
  ) {
    (self.file, self.clock, self.tell) = (file, clock, tell)
  }

  /// Logs the answer to a use of a key.
  package func note(_ use: KeyUse, _ answer: Answer, reason: String? = nil) {
    note(
      use.caller, use.purpose, answer, reason,
      facts: use.facts + [PersonQuestion.Fact("Key", use.keyName)])
  }

  /// Logs that a program was refused without a question.
  package func refuse(_ caller: Caller, _ purpose: String, _ reason: String) {
    note(caller, purpose, .refused, reason, facts: [])
  }

  /// Tells people a message that concerns no program.
  package func note(_ text: String) { say(text) }

  // MARK: Questions

  private struct HeldText {
    /// The most lines that are kept; the file has all.
    static let mostLines = 20

    var lines: [String] = []
    var leftOut = 0
  }

  /// Tells people nothing until ``endQuestion()``. Lines about other requests, which a host to which the agent was forwarded can cause at any
  /// time, would push the question out of sight.
  func beginQuestion() { held.withLock { $0 = $0 ?? HeldText() } }

  /// Tells people what was noted since ``beginQuestion()``.
  func endQuestion() {
    guard let text = held.withLock({ $0.take() }) else { return }
    text.lines.forEach(tell)
    if text.leftOut > 0 { tell("\(text.leftOut) more lines were left out while a question was shown.") }
  }

  private func say(_ text: String) {
    let isHeld = held.withLock { held in
      guard held != nil else { return false }
      if held?.lines.count ?? 0 < HeldText.mostLines { held?.lines.append(text) } else { held?.leftOut += 1 }
      return true
    }
    if !isHeld { tell(text) }
  }

  private func note(
    _ caller: Caller, _ purpose: String, _ answer: Answer, _ reason: String?, facts: [PersonQuestion.Fact]
  ) {
    let details = facts.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
    let outcome = "\(purpose) by \(caller.text): \(answer.rawValue)" + (reason.map { ", \($0)" } ?? "")
    say(details.isEmpty ? outcome : "\(outcome.withoutFullStop). \(details)")
    let entry = JSONValue.object([
      "time": .string(clock().formatted(.iso8601)), "purpose": .string(purpose),
      "program": .string(Self.cut(caller.executable ?? "")), "process": .integer(Int64(caller.process)),
      "facts": .object(JSONObject(facts.map { ($0.name, .string(Self.cut($0.value))) })),
      "answer": .string(answer.rawValue), "reason": .string(Self.cut(reason ?? "")),
    ])
    do { try append(entry) } catch { say("The log cannot be kept: \(error.localizedDescription)") }
  }

  private static func cut(_ text: String) -> String { TerminalText.line(text, columns: longestText) }

  private func append(_ entry: JSONValue) throws {
    guard let file else { return }
    let path = file.path(percentEncoded: false)
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      throw FileStorageError.unwritable(path: path, reason: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    let line = Array((entry.lineText + "\n").utf8)
    guard write(descriptor, line, line.count) == line.count else {
      throw FileStorageError.unwritable(path: path, reason: String(cString: strerror(errno)))
    }
    if lseek(descriptor, 0, SEEK_END) >= Self.fullSize {
      rename(path, Self.older(file).path(percentEncoded: false))
    }
  }

  private static func older(_ file: URL) -> URL { file.appendingPathExtension("1") }

  /// The last entries, oldest first. Damaged lines are left out.
  ///
  /// - Throws: `FileStorageError` when the file cannot be read.
  package static func entries(in file: URL, last count: Int) throws -> [JSONValue] {
    let bytes = try [older(file), file].flatMap { try ProtectedFiles.read($0, limit: 4 * fullSize) ?? [] }
    return bytes.split(separator: UInt8(ascii: "\n")).suffix(count).compactMap { try? JSONValue(parsing: $0) }
  }
}
