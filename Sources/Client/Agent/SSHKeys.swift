internal import Crypto
package import DeviceKeys
internal import JOSE
package import SSHFormats
internal import WebAuthnFormats
package import WebAuthnAuthenticator

/// The keys of this device for SSH, and only these.
///
/// The keys are in the same kinds of stores as bound keys, in a folder of their own (`ssh` in the client's home), and their tags begin with
/// `ssh:`. A bound key is never among them, and none of them is ever bound: the agent's signatures say nothing to a journey server.
///
/// Some are security keys (`sk-ecdsa-sha2-nistp256@openssh.com`): passkeys of the relying party `ssh:` in this device's authenticator. They
/// count their signatures, and sign whether somebody was there and was verified.
package struct SSHKeys: Sendable {
  /// The prefix of all tags.
  package static let tagPrefix = "ssh:"

  /// The largest number of characters of a name.
  package static let longestName = 64

  /// The relying party of the security keys.
  static let application = "ssh:"

  let store: any DeviceKeyStore
  private let credentials: CredentialStore?

  /// - Parameters:
  ///   - store: The store in the folder `ssh`; other keys in it are left alone.
  ///   - credentials: The records of the security keys; without it there are none.
  package init(store: any DeviceKeyStore, credentials: CredentialStore? = nil) {
    (self.store, self.credentials) = (store, credentials)
  }

  /// Whether `name` is valid: 1 to 64 letters, digits, `.`, `_`, `-` and `@` of ASCII.
  package static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count)
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-@".contains($0)) }
  }

  /// The keys that can be read, oldest first, and the errors of the others, which the caller reports.
  package func readable() async throws -> (keys: [SSHKey], faults: [DeviceKeyError]) {
    let passkeys = try await credentials?.readable(relyingPartyID: Self.application)
    let byTag = Dictionary((passkeys?.sources ?? []).map { ($0.keyTag, $0) }) { $1 }
    let (stored, faults) = try await store.readableKeys()
    return (
      stored.compactMap { SSHKey($0, passkey: byTag[$0.tag]) }, faults + (passkeys?.faults ?? [])
    )
  }

  /// - Throws: ``DeviceKeyError/exists(tag:)`` when a key has the name, of whichever kind.
  private func requireFree(_ name: String) async throws {
    guard try await !readable().keys.contains(where: { $0.name == name }) else {
      throw DeviceKeyError.exists(tag: Self.tagPrefix + name)
    }
  }

  /// Makes a key.
  ///
  /// - Throws: What ``DeviceKeyStore/createKey(tag:protection:unlock:)`` does, also when a security key has the name.
  /// - Parameter pin: The PIN that unlocks the key; without one a person is asked to agree.
  package func add(_ name: String, pin: PIN?) async throws -> SSHKey {
    try await requireFree(name)
    return try await store.makeKey(Self.tagPrefix + name, pin: pin) { SSHKey($0) }
  }

  /// Makes a security key.
  ///
  /// - Parameter pin: The PIN that unlocks the key: its signatures then say that the person was verified. Without one a person is asked to
  ///   agree, and the signatures say that somebody was there.
  /// - Throws: ``DeviceKeyError/exists(tag:)`` when a key has the name, of whichever kind; what the store throws.
  package func addSecurityKey(_ name: String, pin: PIN?) async throws -> SSHKey {
    try await requireFree(name)
    let request = MakeCredentialRequest(
      clientDataHash: [UInt8](repeating: 0, count: SHA256.byteCount), relyingPartyID: Self.application,
      relyingPartyName: "SSH", userHandle: [], userName: name, userDisplayName: name,
      algorithms: [COSEAlgorithm.es256.rawValue], verifiesUser: pin != nil)
    let made: PublicKeyCredentialSource
    do {
      made = try await authenticator().makeRoamingCredential(request, nil, pin: pin).source
    } catch AuthenticatorError.failed(let cause) { throw cause }
    guard let key = try await readable().keys.first(where: { $0.passkey?.id == made.id }) else {
      throw DeviceKeyError.notFound(tag: made.keyTag)
    }
    return key
  }

  /// Removes a key for good.
  package func remove(_ key: SSHKey) async throws {
    guard let passkey = key.passkey else { return try await store.deleteKey(tag: key.stored.tag) }
    try await authenticator().delete(passkey)
  }

  /// The signature over `data` in its wire format, by a key that was unlocked after a person agreed to this very signature.
  func signatureBlob(over data: [UInt8], by key: SSHKey, _ unlocked: any DeviceKey) async throws -> [UInt8] {
    guard let passkey = key.passkey else {
      return try SSHPublicKey.signatureBlob(raw: try await unlocked.signature(for: data))
    }
    let assertion = try await authenticator().assertion(
      by: passkey, unlocked: unlocked, clientDataHash: Array(SHA256.hash(data: data)),
      isVerified: key.hasPIN)
    return try SSHPublicKey.securityKeySignatureBlob(
      raw: try ECDSASignatureFormat.raw(fromDER: assertion.signature, curve: .p256),
      flags: assertion.authenticatorData.flags.rawValue, counter: assertion.authenticatorData.signCount)
  }

  private func authenticator() throws -> Authenticator {
    guard let credentials else {
      throw DeviceKeyError.unsupported("There is no store for the records of security keys.")
    }
    return Authenticator(keyStore: store, credentials: credentials)
  }
}

/// A key for SSH, described without unlocking it.
package struct SSHKey: Sendable, Hashable {
  /// The name that the owner gave the key.
  package let name: String
  package let publicKey: SSHPublicKey
  package let stored: StoredKey
  /// The authenticator's record of a security key; `nil` for other keys.
  let passkey: PublicKeyCredentialSource?

  /// `nil` for a key of another purpose.
  init?(_ stored: StoredKey, passkey: PublicKeyCredentialSource? = nil) {
    guard passkey != nil || stored.tag.hasPrefix(SSHKeys.tagPrefix),
      case .p256(let x, let y) = stored.publicKey.material,
      let key = try? SSHPublicKey(point: [4] + x + y, application: passkey?.relyingPartyID)
    else { return nil }
    let name = passkey?.userName ?? String(stored.tag.dropFirst(SSHKeys.tagPrefix.count))
    // The name is used in file names.
    guard SSHKeys.isName(name) else { return nil }
    (self.name, publicKey, self.stored, self.passkey) = (name, key, stored, passkey)
  }

  /// Whether a PIN unlocks the key; otherwise a person is asked to agree.
  package var hasPIN: Bool { stored.protection == .applicationPIN }

  /// The line for `authorized_keys`.
  package var line: String { AuthorizedKey(key: publicKey, comment: name).line }
}
