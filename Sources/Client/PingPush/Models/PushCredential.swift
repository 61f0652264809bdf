public import Foundation
internal import PingCommons
internal import PushFormats

/// One registration of this device with a server, for one user.
// `additionalData` alone is not Sendable by its type. It is a dictionary, so that a copy shares no state, and it holds JSON
// values; a caller that stores anything else must not change it afterwards.
public struct PushCredential: Codable, Identifiable, @unchecked Sendable {
  /// The registration's id, by which messages name the credential.
  public let id: String

  /// The user's name on the server; needed to tell the server a new device token.
  public internal(set) var userId: String?

  /// The server's id of the device; the credential's id when the server sent none.
  public let resourceId: String

  /// The organisation that issued the credential, as the server names it.
  public let issuer: String

  /// The issuer's name to show, which the person may change.
  public var displayIssuer: String

  /// The account, as the server names it.
  public let accountName: String

  /// The account's name to show, which the person may change.
  public var displayAccountName: String

  /// The push endpoint, without `_action`.
  public let serverEndpoint: String

  /// Base64 of the secret shared with the server. Never printed.
  let sharedSecret: String

  public let createdAt: Date

  /// The address of the issuer's logo.
  public let imageURL: String?

  /// A colour: `#` and hexadecimal digits.
  public let backgroundColor: String?

  /// The policies that the device has to meet, as JSON text.
  public let policies: String?

  /// The policy that locked the credential.
  public var lockingPolicy: String?

  /// Whether a policy currently prevents approving with the credential.
  public var isLocked: Bool

  public let platform: PushPlatform

  /// Values of the app; kept in memory only.
  public var additionalData: [String: Any]?

  /// The endpoint for answers, without `_action`; `nil` when it is ``serverEndpoint``.
  var answerEndpoint: String?

  /// The device token that the server has confirmed.
  var confirmedDeviceToken: String?

  /// A credential.
  ///
  /// - Parameters:
  ///   - resourceId: `id` when `nil`.
  ///   - displayIssuer: `issuer` when `nil`.
  ///   - displayAccountName: `accountName` when `nil`.
  ///   - sharedSecret: Base64 of 16 to 64 bytes; PingAM's secrets have 32.
  public init(
    id: String = UUID().uuidString, userId: String? = nil, resourceId: String? = nil, issuer: String,
    displayIssuer: String? = nil, accountName: String, displayAccountName: String? = nil,
    serverEndpoint: String, sharedSecret: String, createdAt: Date = Date(), imageURL: String? = nil,
    backgroundColor: String? = nil, policies: String? = nil, lockingPolicy: String? = nil,
    isLocked: Bool = false, platform: PushPlatform = .pingAM, additionalData: [String: Any]? = nil
  ) {
    self.id = id
    self.userId = userId
    self.resourceId = resourceId ?? id
    self.issuer = issuer
    self.displayIssuer = displayIssuer ?? issuer
    self.accountName = accountName
    self.displayAccountName = displayAccountName ?? accountName
    self.serverEndpoint = serverEndpoint
    self.sharedSecret = sharedSecret
    self.createdAt = createdAt
    self.imageURL = imageURL
    self.backgroundColor = backgroundColor
    self.policies = policies
    self.lockingPolicy = lockingPolicy
    self.isLocked = isLocked
    self.platform = platform
    self.additionalData = additionalData
  }

  private enum CodingKeys: String, CodingKey {
    case id, userId, resourceId, issuer, displayIssuer, accountName, displayAccountName, serverEndpoint
    case sharedSecret, createdAt, imageURL, backgroundColor, policies, lockingPolicy, isLocked, platform
    case answerEndpoint, confirmedDeviceToken
  }

  /// Returns the credential of an enrolment address, without registering it with its server or storing it.
  ///
  /// - Throws: ``PushError/invalidUri(_:)``
  public static func fromUri(_ uri: String) async throws -> PushCredential {
    try await PushUriParser.parse(uri)
  }

  /// Returns the credential as an address, secret included. The address cannot be used to register again.
  ///
  /// - Throws: ``PushError/uriFormatting(_:)``
  public func toUri() async throws -> String { try await PushUriParser.format(self) }

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

extension PushCredential {
  /// Where the device registers.
  public var registrationEndpoint: String { Self.url(serverEndpoint, action: "register") }

  /// Where the device answers.
  public var authenticationEndpoint: String {
    Self.url(answerEndpoint ?? serverEndpoint, action: "authenticate")
  }

  /// A credential that is not stored here; only its id is known.
  static func unknown(id: String) -> PushCredential {
    PushCredential(id: id, issuer: "", accountName: "", serverEndpoint: "", sharedSecret: "")
  }

  /// Where the device reports a new token.
  public var updateEndpoint: String { Self.url(serverEndpoint, action: "refresh") }

  /// Where the device asks for its messages.
  var pollEndpoint: String { Self.url(serverEndpoint, action: "poll") }

  private static func url(_ endpoint: String, action: String) -> String {
    (try? PushServerURL(endpoint))?.with(action: action) ?? "\(endpoint)?_action=\(action)"
  }

  /// The secret, ready to sign with.
  ///
  /// - Throws: ``PushError/invalidParameterValue(_:)``
  func secret() throws -> PushSecret {
    do { return try PushSecret(base64: sharedSecret) } catch {
      throw PushError.invalidParameterValue("The secret of credential \(id): \(error.reason)")
    }
  }
}

extension PushCredential: PolicyBound {}

extension PushCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The credential without its secret.
  public var description: String {
    "PushCredential(id: \(id), userId: \(userId ?? "nil"), resourceId: \(resourceId), issuer: \(issuer), "
      + "displayIssuer: \(displayIssuer), accountName: \(accountName), displayAccountName: \(displayAccountName), "
      + "serverEndpoint: \(serverEndpoint), platform: \(platform.rawValue), createdAt: \(createdAt), isLocked: \(isLocked))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "issuer": issuer, "accountName": accountName])
  }
}
