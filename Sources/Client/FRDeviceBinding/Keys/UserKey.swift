public import Foundation
internal import PingBinding

/// What the device knows about a bound key. Never holds the key.
public struct UserKey: Equatable, Codable, Sendable {
  /// The name under which the private key is kept.
  public var id: String
  /// The user as the server names it.
  public var userId: String
  /// The user's display name.
  public var userName: String
  /// The key id by which the server finds the public key.
  public var kid: String
  /// What has to happen before the key signs.
  public var authType: DeviceBindingAuthenticationType
  /// When the key was bound, in seconds since 1970.
  public var createdAt: Double
  /// The set of enrolled biometrics when the key was bound, on platforms that tell.
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

  /// The same key, as PingBinding describes it.
  var described: PingBinding.UserKey {
    PingBinding.UserKey(
      keyTag: id, userId: userId, username: userName, kid: kid, authType: authType.described,
      createdAt: Date(timeIntervalSince1970: createdAt), biometricDomainState: biometricDomainState)
  }
}
