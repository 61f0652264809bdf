package import Foundation
package import StrictJSON

/// The members of a legacy entry, checked as they are read.
package struct LegacyEntry: Sendable {
  /// Why an entry cannot be used. The texts name members, never their values.
  package enum Fault: Error, Hashable, CustomStringConvertible {
    case notJSON(String)
    case wrong(member: String, String)
    /// The entry as a whole cannot be used, for this reason.
    case unusable(String)

    package var description: String {
      switch self {
      case .notJSON(let reason): "it is not a JSON object: \(reason)"
      case .wrong(let member, let reason): "its \(member) \(reason)"
      case .unusable(let reason): reason
      }
    }
  }

  package let members: JSONObject

  /// The longest text of an entry, in UTF-8 bytes; key tags have the same limit.
  private static let longest = 256
  /// Until the end of the year 9999, in seconds since 1970.
  private static let times = 0.0...253_402_300_799

  /// - Throws: ``Fault/notJSON(_:)``
  package init(_ content: Data) throws(Fault) {
    if let members = LegacyArchive.members(of: content) {
      self.members = members
      return
    }
    let value: JSONValue
    do { value = try JSONValue(parsing: content) } catch { throw .notJSON("\(error)") }
    guard let object = value.objectValue else { throw .notJSON("it is another kind of JSON value") }
    members = object
  }

  /// A required text.
  ///
  /// - Parameter limit: In UTF-8 bytes.
  package func text(_ member: String, limit: Int = longest) throws(Fault) -> String {
    guard let text = try optionalText(member, limit: limit) else {
      throw .wrong(member: member, "is missing")
    }
    guard !text.isEmpty else { throw .wrong(member: member, "has 0 bytes instead of 1 to \(limit)") }
    return text
  }

  /// An optional text.
  package func optionalText(_ member: String, limit: Int = longest) throws(Fault) -> String? {
    guard let value = members[member], !value.isNull else { return nil }
    guard let text = value.stringValue else { throw .wrong(member: member, "is not text") }
    guard text.utf8.count <= limit else {
      throw .wrong(member: member, "has \(text.utf8.count) bytes instead of 1 to \(limit)")
    }
    return text
  }

  /// A required whole number.
  package func integer(_ member: String) throws(Fault) -> Int {
    guard let value = members[member], !value.isNull else { throw .wrong(member: member, "is missing") }
    guard let number = value.integerValue.flatMap({ Int(exactly: $0) }) else {
      throw .wrong(member: member, "is not a whole number")
    }
    return number
  }

  /// A time; `nil` when it is absent or out of range.
  package func time(_ member: String, unitsPerSecond: Double = 1) -> Date? {
    members[member]?.doubleValue.map { $0 / unitsPerSecond }
      .flatMap { Self.times.contains($0) ? Date(timeIntervalSince1970: $0) : nil }
  }

  /// The entry with its values left out, for the log; only members of `known` are named.
  static func preview(_ content: Data, known: [String]) -> String {
    guard let members = try? LegacyEntry(content).members else {
      return "(not a JSON object, \(content.count) bytes)"
    }
    let names = known.filter { members[$0] != nil }.map { "\"\($0)\":…" }
    let others = members.count - names.count
    return "{" + names.joined(separator: ",") + (others > 0 ? ",and \(others) unknown" : "") + "}"
  }
}
