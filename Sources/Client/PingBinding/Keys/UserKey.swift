public import DeviceKeys
public import Foundation
internal import TerminalText

/// The device's description of a bound key: its user, where it is and how it is unlocked. Never holds the key itself.
public struct UserKey: Codable, Identifiable, Sendable, Hashable {
  /// The same as ``kid``.
  public var id: String { kid }

  /// The private key's name in the key store.
  public internal(set) var keyTag: String
  /// The user as the server names it, such as `id=mira,ou=user,o=alpha,ou=services,ou=am-config`.
  public let userId: String
  /// The user's display name.
  public let username: String
  /// The key id that identifies the public key to the server.
  public let kid: String
  /// How the key is unlocked before it signs.
  public let authType: DeviceBindingAuthenticationType
  /// When the key was bound.
  public let createdAt: Date
  /// The set of enrolled biometrics when the key was bound, on platforms that report it.
  public internal(set) var biometricDomainState: Data?
  /// The kind of store that keeps the private key; `nil` for keys that were bound before this was recorded.
  public internal(set) var store: KeyStoreKind?

  /// The address of the server that the key belongs to, such as `https://am.example.com/am`; `nil` for keys that were bound outside
  /// a journey, or before this was recorded, until a server accepts their signature.
  public internal(set) var server: String?
  /// The realm of ``server``, such as `alpha`; `nil` without a server.
  public internal(set) var realm: String?

  /// The progress of a binding or removal; `nil` for a bound key. Apps only see keys that can sign.
  var state: State?
  /// The process that works on the key, while ``state`` names one.
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
}

extension UserKey {
  /// The state of a key that is not simply bound. See ``UserKeysStorage``.
  enum State: Codable, Sendable, Hashable {
    /// The key is being made by the process `processID`, which gives up at `until`.
    case pending(processID: Int32, until: Date)
    /// The proof has been made. The process `processID` waits for the server's answer until `until` at the latest.
    case unconfirmed(processID: Int32, until: Date)
    /// The private key is to be deleted: the key `by` replaced it, or the app removed it.
    case retired(by: String?)
    /// The server has deleted its record, and the private key is still to be deleted.
    case unbound
  }

  /// Whether the server has accepted this key.
  var isBound: Bool { state == nil }

  /// Whether the server's decision about this key is still unknown.
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

extension UserKey {
  /// The name of the key's user, for the person.
  var name: String {
    if !username.isEmpty {
      username
    } else if !userId.isEmpty {
      "User: \(userId)"
    } else {
      "Key: \(id)"
    }
  }

  /// ``name``, what unlocks the key, and when it was bound.
  var label: String {
    "\(name) (\(authType == .none ? "no PIN" : authType.words), bound \(TerminalText.Times.text(createdAt)))"
  }
}
