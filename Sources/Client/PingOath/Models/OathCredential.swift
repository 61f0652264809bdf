public import Foundation
internal import OATH
internal import PingCommons

/// A credential with which this device generates the one-time codes of one account.
public struct OathCredential: Codable, Identifiable, Sendable {
  public let id: String

  /// The user's name or id on the server, if the address contains it.
  public let userId: String?

  /// The server's id of the device, if the address contains it.
  public let resourceId: String?

  /// The organisation that issued the credential, as the server names it.
  public let issuer: String

  /// The issuer's name to show, which the person may change.
  public var displayIssuer: String

  /// The account, as the server names it.
  public let accountName: String

  /// The account's name to show, which the person may change.
  public var displayAccountName: String

  public let oathType: OathType

  public let oathAlgorithm: OathAlgorithm

  /// Digits of a code: 4 to 8.
  public let digits: Int

  /// How long a time-based code is valid, in seconds: 1 to 3600.
  public let period: Int

  /// The counter of the next code; 0 for time-based codes. A client never lowers the stored counter.
  public var counter: Int

  public let createdAt: Date

  /// The address of the issuer's logo.
  public let imageURL: String?

  /// A colour: hexadecimal digits, without `#` when it comes from an enrolment address.
  public let backgroundColor: String?

  /// The policies that the device has to meet, as JSON text.
  public let policies: String?

  /// The policy that locked the credential.
  public var lockingPolicy: String?

  /// Whether a policy currently prevents generating codes with the credential.
  public var isLocked: Bool

  /// The secret shared with the server. Never printed, and not a part of the credential's JSON.
  let secretKey: OathSecretKey

  /// The server that enrolled it, if known: codes are offered to that server without asking.
  package var enrolledBy: String?

  /// Whether no server is known to have accepted a code yet, because the enrolment is under way or was interrupted. The next
  /// enrolment by that server for the account replaces the credential.
  package var isUnproven: Bool {
    get { unproven ?? false }
    set { unproven = newValue ? true : nil }
  }

  private var unproven: Bool?

  /// The last time step whose code ``OathClient/takeCode(_:)`` returned.
  var takenStep: Int64?

  /// A credential.
  ///
  /// - Parameters:
  ///   - displayIssuer: `issuer` when `nil`.
  ///   - displayAccountName: `accountName` when `nil`.
  ///   - digits: 4 to 8.
  ///   - period: Seconds, 1 to 3600.
  ///   - counter: The counter of the first code.
  ///   - secretKey: Base32 of 10 to 128 bytes.
  public init(
    id: String = UUID().uuidString, userId: String? = nil, resourceId: String? = nil, issuer: String,
    displayIssuer: String? = nil, accountName: String, displayAccountName: String? = nil, oathType: OathType,
    oathAlgorithm: OathAlgorithm = .sha1, digits: Int = 6, period: Int = 30, counter: Int = 0,
    createdAt: Date = Date(), imageURL: String? = nil, backgroundColor: String? = nil,
    policies: String? = nil,
    lockingPolicy: String? = nil, isLocked: Bool = false, secretKey: String
  ) {
    self.id = id
    self.userId = userId
    self.resourceId = resourceId
    self.issuer = issuer
    self.displayIssuer = displayIssuer ?? issuer
    self.accountName = accountName
    self.displayAccountName = displayAccountName ?? accountName
    self.oathType = oathType
    self.oathAlgorithm = oathAlgorithm
    self.digits = digits
    self.period = period
    self.counter = counter
    self.createdAt = createdAt
    self.imageURL = imageURL
    self.backgroundColor = backgroundColor
    self.policies = policies
    self.lockingPolicy = lockingPolicy
    self.isLocked = isLocked
    self.secretKey = OathSecretKey(secretKey)
  }

  /// `totp` or `hotp`.
  public var type: String { oathType.rawValue }

  /// `SHA1`, `SHA256` or `SHA512`.
  public var algorithm: String { oathAlgorithm.rawValue }

  /// Returns the credential of an enrolment address, with a new id, without storing it.
  ///
  /// - Throws: ``OathError``
  public static func fromUri(_ uri: String) async throws -> OathCredential {
    try OathUriParser.credential(of: uri)
  }

  /// Returns the credential as an `otpauth` address, secret and next counter included.
  ///
  /// - Throws: ``OathError/uriFormatting(_:)``
  public func toUri() async throws -> String { try OathUriParser.address(of: self) }

  /// Locks the credential because of a policy.
  public mutating func lockCredential(policyName: String) {
    isLocked = true
    lockingPolicy = policyName
  }

  /// Unlocks the credential.
  public mutating func unlockCredential() {
    isLocked = false
    lockingPolicy = nil
  }
}

// The public form, which apps pass on, has these members and no secret; storages write an `OathStoredCredential`.
extension OathCredential {
  private enum CodingKeys: String, CodingKey {
    case id, userId, resourceId, issuer, displayIssuer, accountName, displayAccountName, oathType
    case oathAlgorithm, digits, period, counter, createdAt, imageURL, backgroundColor, policies
    case lockingPolicy, isLocked
  }

  /// The members that only a storage writes.
  enum StoredKeys: String, CodingKey {
    case secretKey, enrolledBy, takenStep
    case unproven = "isUnproven"
  }

  /// Reads a credential, with or without its secret. Unknown members are ignored.
  ///
  /// A credential without a secret makes no codes, and cannot be saved.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func optional<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try values.decodeIfPresent(Value.self, forKey: key)
    }
    let stored = try decoder.container(keyedBy: StoredKeys.self)
    self.init(
      id: try values.decode(String.self, forKey: .id), userId: try optional(.userId),
      resourceId: try optional(.resourceId), issuer: try values.decode(String.self, forKey: .issuer),
      displayIssuer: try optional(.displayIssuer),
      accountName: try values.decode(String.self, forKey: .accountName),
      displayAccountName: try optional(.displayAccountName),
      oathType: try values.decode(OathType.self, forKey: .oathType),
      oathAlgorithm: try optional(.oathAlgorithm) ?? .sha1, digits: try optional(.digits) ?? 6,
      period: try optional(.period) ?? 30, counter: try optional(.counter) ?? 0,
      createdAt: try values.decode(Date.self, forKey: .createdAt), imageURL: try optional(.imageURL),
      backgroundColor: try optional(.backgroundColor), policies: try optional(.policies),
      lockingPolicy: try optional(.lockingPolicy), isLocked: try optional(.isLocked) ?? false,
      secretKey: try stored.decodeIfPresent(OathSecretKey.self, forKey: .secretKey)?.base32 ?? "")
    enrolledBy = try stored.decodeIfPresent(String.self, forKey: .enrolledBy)
    unproven = try stored.decodeIfPresent(Bool.self, forKey: .unproven)
    takenStep = try stored.decodeIfPresent(Int64.self, forKey: .takenStep)
  }

  /// Writes the members that `encode(to:)` leaves out, into the same object.
  func encodeStored(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: StoredKeys.self)
    try values.encode(secretKey, forKey: .secretKey)
    try values.encodeIfPresent(enrolledBy, forKey: .enrolledBy)
    try values.encodeIfPresent(unproven, forKey: .unproven)
    try values.encodeIfPresent(takenStep, forKey: .takenStep)
  }
}

extension OathCredential: PolicyBound {}

extension OathCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The credential without its secret.
  public var description: String {
    "OathCredential(id: \(id), issuer: \(issuer), accountName: \(accountName), type: \(type), "
      + "isLocked: \(isLocked))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "issuer": issuer, "accountName": accountName, "type": type])
  }
}

extension OathCredential {
  /// Keeps the counter and the last step of `stored` where they are higher: an app's outdated copy must not bring back a used
  /// counter.
  mutating func keepProgress(of stored: OathCredential) {
    guard oathType == stored.oathType, secretKey.isSame(as: stored.secretKey) else { return }
    counter = max(counter, stored.counter)
    takenStep = [takenStep, stored.takenStep].compactMap { $0 }.max()
  }
}
