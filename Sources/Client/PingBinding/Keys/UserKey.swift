public import DeviceKeys
public import Foundation

/// What the device knows about a bound key: whose it is, how it is found and how it is unlocked. Never holds the key.
public struct UserKey: Codable, Identifiable, Sendable, Hashable {
  /// The same as ``kid``.
  public var id: String { kid }

  /// The name under which the key store finds the private key.
  public let keyTag: String
  /// The user as the server names it, such as `id=mira,ou=user,o=alpha,ou=services,ou=am-config`.
  public let userId: String
  /// The user's display name.
  public let username: String
  /// The key id by which the server finds the public key.
  public let kid: String
  /// What has to happen before the key signs.
  public let authType: DeviceBindingAuthenticationType
  /// When the key was bound.
  public let createdAt: Date
  /// The set of enrolled biometrics when the key was bound, on platforms that tell.
  public let biometricDomainState: Data?
  /// What keeps the private key; `nil` for keys that were bound before this was recorded.
  public internal(set) var store: KeyStoreKind?

  /// The address of the server that the key belongs to, such as `https://am.example.com/am`; `nil` for keys that were bound before
  /// this was recorded, until a server accepts one, and for those that are bound outside of a journey.
  public internal(set) var server: String?
  /// The realm of ``server``, such as `alpha`; `nil` when that is.
  public internal(set) var realm: String?

  /// How far a binding or a removal has come; apps only ever see keys that are bound.
  var state: State?
  /// The process that is at work with the key, while ``state`` names one.
  var worker: ProcessMark?

  /// A key that was bound now.
  public init(
    keyTag: String, userId: String, username: String, kid: String,
    authType: DeviceBindingAuthenticationType, biometricDomainState: Data? = nil
  ) {
    self.init(
      keyTag: keyTag, userId: userId, username: username, kid: kid, authType: authType, createdAt: Date(),
      biometricDomainState: biometricDomainState)
  }

  /// A key that was bound at `createdAt`.
  public init(
    keyTag: String, userId: String, username: String, kid: String,
    authType: DeviceBindingAuthenticationType, createdAt: Date, biometricDomainState: Data? = nil
  ) {
    self.keyTag = keyTag
    self.userId = userId
    self.username = username
    self.kid = kid
    self.authType = authType
    self.createdAt = createdAt
    self.biometricDomainState = biometricDomainState
  }

  /// This key under another tag.
  func tagged(_ keyTag: String) -> UserKey {
    var key = UserKey(
      keyTag: keyTag, userId: userId, username: username, kid: kid, authType: authType, createdAt: createdAt,
      biometricDomainState: biometricDomainState)
    key.state = state
    key.store = store
    key.worker = worker
    key.scope = scope
    return key
  }
}

extension UserKey {
  /// What the record of a key is while it is not simply bound. See ``UserKeysStorage``.
  enum State: Codable, Sendable, Hashable {
    /// The key is being made by the process `processID`, which gives up at `until`.
    case pending(processID: Int32, until: Date)
    /// The proof has been made and the server's answer is not known yet. The process `processID` waits for it, until
    /// `until` at the latest.
    case unconfirmed(processID: Int32, until: Date)
    /// The private key is to be deleted: its place was taken by the key `by`, or the app removed it.
    case retired(by: String?)
    /// The server has deleted its record, and the private key is to be deleted, too.
    case unbound
  }

  /// Whether the server has this key for all we know.
  var isBound: Bool { state == nil }

  /// Whether nobody knows yet if the server took this key.
  var isUnconfirmed: Bool {
    if case .unconfirmed = state { true } else { false }
  }

  /// Whether its private key is to be deleted.
  var isRetired: Bool {
    switch state {
    case .retired, .unbound: true
    case nil, .pending, .unconfirmed: false
    }
  }
}
