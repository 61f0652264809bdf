internal import Bytes
public import Foundation
public import StrictJSON

/// What a server says about a transaction besides the transaction itself: who made it, and until when it can be approved.
///
/// None of it is covered by the challenge that is signed. Show it as what the server says, never as a part of the transaction. On the wire
/// it is the member `context` of the output `transaction`, `{"application":"…","expiresAt":…}`, which devices that do not know it leave
/// out.
public struct TransactionContext: Sendable, Hashable {
  /// The member's name.
  public static let member = "context"

  /// The longest name that is read, in bytes.
  public static let longestName = 512

  /// The name that administrators gave the application that made the transaction; `nil` when the server does not say.
  public var applicationName: String?

  /// The time after which nobody can approve it, by the server's clock; `nil` when the server does not say.
  public var expiresAt: Date?

  public init(applicationName: String? = nil, expiresAt: Date? = nil) {
    self.applicationName = applicationName
    self.expiresAt = expiresAt
  }

  /// `expiresAt` in milliseconds since 1970.
  public var json: JSONObject {
    var json = JSONObject()
    json["application"] = applicationName.map(JSONValue.string)
    json["expiresAt"] = expiresAt.map { .integer($0.millisecondsSince1970) }
    return json
  }

  /// Reads ``json`` in an offer of a transaction; malformed members are left out.
  public init(offer: JSONObject) {
    guard let context = offer[Self.member]?.objectValue else { return }
    applicationName = context["application"]?.stringValue.flatMap {
      (1...Self.longestName).contains($0.utf8.count) ? $0 : nil
    }
    expiresAt = context["expiresAt"]?.integerValue.flatMap { milliseconds in
      (0...Self.latest).contains(milliseconds)
        ? Date(millisecondsSince1970: milliseconds) : nil
    }
  }

  /// The year 9999, in milliseconds since 1970: the last that dates are written for.
  private static let latest: Int64 = 253_402_300_799_999
}
