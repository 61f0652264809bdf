internal import Bytes
internal import Foundation
internal import StrictJSON

/// A legacy entry's content, checked.
enum LegacyKey {
  /// Why an entry does not describe a key. The texts name members, never their values.
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
  /// The longest text of an entry, in UTF-8 bytes; key tags have the same limit.
  private static let longest = 256
  /// Until the end of the year 9999, in seconds since 1970.
  private static let times = 0.0...253_402_300_799

  /// The key that `content` describes.
  ///
  /// The members `id`, `userId`, `kid` and `authType` are required: none has a default, least of all a weaker protection for an
  /// unknown one. The user name may be absent. An entry without a usable `createdAt` counts as made at `now`.
  static func userKey(_ content: Data, now: Date) throws(Fault) -> UserKey {
    let object = try parse(content)
    let type = try text("authType", in: object)
    guard let authType = DeviceBindingAuthenticationType(rawValue: type) else {
      throw .wrong(member: "authType", "is not known to this version")
    }
    let seconds = object["createdAt"]?.doubleValue.flatMap { times.contains($0) ? $0 : nil }
    var state: Data?
    if let member = object["biometricDomainState"], !member.isNull {
      // Without it a changed enrolment would go unnoticed.
      guard let bytes = member.stringValue.flatMap({ PaddedBase64.decode($0) }) else {
        throw .wrong(member: "biometricDomainState", "is not valid Base64")
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
    guard let object = try? parse(content) else { return "(not a JSON object, \(content.count) bytes)" }
    let members = known.filter { object[$0] != nil }.map { "\"\($0)\":…" }
    let others = object.count - members.count
    return "{" + members.joined(separator: ",") + (others > 0 ? ",and \(others) unknown" : "") + "}"
  }

  private static func parse(_ content: Data) throws(Fault) -> JSONObject {
    let value: JSONValue
    do { value = try JSONValue(parsing: content) } catch { throw .notJSON("\(error)") }
    guard let object = value.objectValue else { throw .notJSON("it is another kind of JSON value") }
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
