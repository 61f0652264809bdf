internal import Bytes
internal import Foundation
internal import StrictJSON

/// A legacy entry's content, checked.
enum LegacyKey {
  /// Why an entry is not a key. The texts name members, never their values.
  enum Fault: Error, Hashable, CustomStringConvertible {
    case notJSON(String)
    case wrong(member: String, String)

    var description: String {
      switch self {
      case .notJSON(let reason): "it is not a JSON object: \(reason)"
      case .wrong(let member, let reason): "its \(member) \(reason)"
      }
    }
  }

  private static let known = [
    "id", "userId", "userName", "kid", "authType", "createdAt", "biometricDomainState",
  ]
  /// The longest text of an entry in UTF-8 bytes; a key tag may have as many.
  private static let longest = 256
  /// Until the end of the year 9999, in seconds since 1970.
  private static let times = 0.0...253_402_300_799

  /// The key that `content` describes.
  ///
  /// The members `id`, `userId`, `kid` and `authType` are required: nothing can stand in for them, least of all a weaker
  /// protection for an unknown one. An entry without a user name has none to show, and one without a usable `createdAt`
  /// counts as made at `now`.
  static func userKey(_ content: Data, now: Date) throws(Fault) -> UserKey {
    let object = try parse(content)
    let type = try text("authType", in: object)
    guard let authType = DeviceBindingAuthenticationType(rawValue: type) else {
      throw .wrong(member: "authType", "is none that this version knows")
    }
    let seconds = object["createdAt"]?.doubleValue.flatMap { times.contains($0) ? $0 : nil }
    var state: Data?
    if let member = object["biometricDomainState"], !member.isNull {
      // Without it a changed set of biometrics would go unnoticed.
      guard let bytes = member.stringValue.flatMap({ PaddedBase64.decode($0) }) else {
        throw .wrong(member: "biometricDomainState", "is not a Base64 text")
      }
      state = Data(bytes)
    }
    return UserKey(
      keyTag: try text("id", in: object), userId: try text("userId", in: object),
      username: object["userName"]?.stringValue ?? "", kid: try text("kid", in: object), authType: authType,
      createdAt: seconds.map { Date(timeIntervalSince1970: $0) } ?? now, biometricDomainState: state)
  }

  /// The entry with its values left out, for the log.
  static func preview(_ content: Data) -> String {
    guard let object = try? parse(content) else { return "(no JSON object, \(content.count) bytes)" }
    let members = known.filter { object[$0] != nil }.map { "\"\($0)\":…" }
    let others = object.count - members.count
    return "{" + members.joined(separator: ",") + (others > 0 ? ",and \(others) unknown" : "") + "}"
  }

  private static func parse(_ content: Data) throws(Fault) -> JSONObject {
    let value: JSONValue
    do { value = try JSONValue(parsing: content) } catch { throw .notJSON("\(error)") }
    guard let object = value.objectValue else { throw .notJSON("it is another JSON value") }
    return object
  }

  private static func text(_ member: String, in object: JSONObject) throws(Fault) -> String {
    guard let value = object[member], !value.isNull else { throw .wrong(member: member, "is missing") }
    guard let text = value.stringValue else { throw .wrong(member: member, "is not text") }
    guard (1...longest).contains(text.utf8.count) else {
      throw .wrong(member: member, "has \(text.utf8.count) bytes instead of 1 to \(longest)")
    }
    return text
  }
}
