public import Foundation
internal import PingBinding

/// The device's description of a bound key. Never holds the key itself.
public struct UserKey: Equatable, Codable, Sendable {
  /// The private key's name in the key store.
  public var id: String
  /// The user as the server names it.
  public var userId: String
  /// The user's display name.
  public var userName: String
  /// The key id that identifies the public key to the server.
  public var kid: String
  /// How the key is unlocked before it signs.
  public var authType: DeviceBindingAuthenticationType
  /// When the key was bound, in seconds since 1970.
  public var createdAt: Double
  /// The set of enrolled biometrics when the key was bound, on platforms that report it.
  public var biometricDomainState: Data?

  public init(
    id: String, userId: String, userName: String, kid: String, authType: DeviceBindingAuthenticationType,
    createdAt: Double = Date().timeIntervalSince1970, biometricDomainState: Data? = nil
  ) {
    self.id = id
    self.userId = userId
    self.userName = userName
    self.kid = kid
    self.authType = authType
    self.createdAt = createdAt
    self.biometricDomainState = biometricDomainState
  }

  init(_ key: PingBinding.UserKey) {
    id = key.keyTag
    userId = key.userId
    userName = key.username
    kid = key.kid
    authType = DeviceBindingAuthenticationType(key.authType)
    createdAt = key.createdAt.timeIntervalSince1970
    biometricDomainState = key.biometricDomainState
  }

  /// The same key in PingBinding.
  var described: PingBinding.UserKey {
    PingBinding.UserKey(
      keyTag: id, userId: userId, username: userName, kid: kid, authType: authType.described,
      createdAt: Date(timeIntervalSince1970: createdAt), biometricDomainState: biometricDomainState)
  }
}
