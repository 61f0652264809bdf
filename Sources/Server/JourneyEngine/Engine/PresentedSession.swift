internal import Bytes
public import Foundation
internal import StrictJSON

/// The session that the client presented when it started a journey: valid at that time, and of the journey's realm. It travels sealed with
/// the journey, so that no later request can replace it.
public struct PresentedSession: Sendable, Hashable {
  /// The hash under which the session is stored, to find out whether it is still alive.
  public var tokenHash: [UInt8]
  public var username: String

  /// The level that it was made with.
  public var authLevel: Int

  /// The journey that made it; `nil` for sessions from before that was recorded.
  public var service: String?

  /// When its user last proved who they are.
  public var authenticatedAt: Date

  public init(
    tokenHash: [UInt8], username: String, authLevel: Int, service: String?, authenticatedAt: Date
  ) {
    self.tokenHash = tokenHash
    self.username = username
    self.authLevel = authLevel
    self.service = service
    self.authenticatedAt = authenticatedAt
  }
}

extension PresentedSession {
  var json: JSONObject {
    var json: JSONObject = [
      "h": .array(tokenHash.map { .integer(Int64($0)) }), "u": .string(username),
      "l": .integer(Int64(authLevel)),
      "a": .integer(authenticatedAt.millisecondsSince1970),
    ]
    if let service { json["s"] = .string(service) }
    return json
  }

  init?(json: JSONValue) {
    guard let hash = json["h"]?.arrayValue, let username = json["u"]?.stringValue,
      let level = json["l"]?.integerValue.flatMap({ Int(exactly: $0) }),
      let moment = json["a"]?.integerValue
    else { return nil }
    let bytes = hash.compactMap { $0.integerValue.flatMap { UInt8(exactly: $0) } }
    guard bytes.count == hash.count else { return nil }
    self.init(
      tokenHash: bytes, username: username, authLevel: level, service: json["s"]?.stringValue,
      authenticatedAt: Date(millisecondsSince1970: moment))
  }
}
