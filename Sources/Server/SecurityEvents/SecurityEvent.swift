internal import Bytes
public import Foundation
public import StrictJSON

/// An event that matters for the server's security.
///
/// The written form is one JSON object on one line; `docs/events.md` has its schema. An event must not contain secrets.
public struct SecurityEvent: Sendable, Hashable {
  public var kind: Kind

  /// The time by the server's clock; set when the event is recorded.
  public var time = Date(timeIntervalSince1970: 0)

  /// The realm of the event.
  public var realm: String?

  /// The account concerned, if the request named one. It is proven only when `outcome` is ``Outcome/success``.
  public var account: String?

  /// The account's id, if known: a later account with the same name has another id.
  public var accountID: String?

  /// The account whose session acted, if it is another one: `name@realm`.
  public var actor: String?

  /// The client's address, as trusted proxies report it.
  public var address: String?

  /// The journey in which the event happened.
  public var journey: String?

  /// The proofs of this journey, such as `password` or `bound-key`.
  public var factors: [String]

  /// The session's authentication level.
  public var level: Int?

  public var outcome: Outcome

  /// The reason, for the operator.
  public var cause: String?

  /// Further members, depending on the kind.
  public var detail: JSONObject

  /// The outcome of the event.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    case success, refused, failure
  }

  public init(
    _ kind: Kind, realm: String? = nil, account: String? = nil, accountID: String? = nil,
    actor: String? = nil, journey: String? = nil, factors: [String] = [], level: Int? = nil,
    outcome: Outcome = .success, cause: String? = nil, detail: JSONObject = JSONObject()
  ) {
    self.kind = kind
    self.realm = realm
    self.account = account
    self.accountID = accountID
    self.actor = actor
    self.journey = journey
    self.factors = factors
    self.level = level
    self.outcome = outcome
    self.cause = cause
    self.detail = detail
  }
}

extension SecurityEvent {
  /// The most characters of a text in an event, because clients may supply it.
  static let longestText = 1000

  /// The JSON object to write, with its members in the schema's order.
  public var json: JSONObject {
    var members: [(String, JSONValue)] = [
      ("version", 1), ("time", .string(time.formatted(Date.ISO8601FormatStyle.milliseconds))),
      ("event", .string(kind.rawValue)),
      ("outcome", .string(outcome.rawValue)),
    ]
    for (name, text) in [
      ("realm", realm), ("account", account), ("accountId", accountID), ("actor", actor),
      ("address", address), ("journey", journey),
    ] {
      if let text { members.append((name, .string(text.bounded(to: Self.longestText)))) }
    }
    if !factors.isEmpty { members.append(("factors", .array(factors.map { .string($0) }))) }
    if let level { members.append(("level", .integer(Int64(level)))) }
    if let cause { members.append(("cause", .string(cause.bounded(to: Self.longestText)))) }
    if !detail.isEmpty { members.append(("detail", .object(detail))) }
    return JSONObject(members)
  }

  /// The line to write, with its line feed. No text in it can end the line early or change how it is read.
  public var line: String { JSONValue.object(json).lineText + "\n" }
}
