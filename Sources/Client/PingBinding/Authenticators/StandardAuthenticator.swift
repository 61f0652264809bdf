public import DeviceKeys
internal import UserVerification

#if canImport(Security)
  public import Security
#endif

/// The base of this module's own authenticators, which keep their keys in a `DeviceKeyStore`.
///
/// Apps use its subclasses. To write an authenticator, subclass ``DefaultDeviceAuthenticator``.
public class StandardAuthenticator: DefaultDeviceAuthenticator {
  private let settings: (any StandardAuthenticatorConfig)?
  /// The key that this object made last, still unlocked for the signature of its proof.
  private var registered: (any DeviceKey)?

  init(settings: (any StandardAuthenticatorConfig)?) { self.settings = settings }

  /// Makes a key that signs without asking the person.
  public override func register() async throws -> KeyPair { try await createKey(unlock: .nothing) }

  /// Unlocks the key `keyTag`, unless this object has just made it: then it is still unlocked.
  @_disfavoredOverload
  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    if let key = registered, key.tag == keyTag {
      registered = nil
      return .success(key)
    }
    do { return .success(try await openKey(tag: keyTag)) } catch { return .failure(error) }
  }

  #if canImport(Security)
    public override func authenticate(keyTag: String) async -> Result<SecKey, any Error> {
      let key: Result<any DeviceKey, any Error> = await authenticate(keyTag: keyTag)
      return key.secKey
    }
  #endif

  public override func isSupported(attestation: Attestation) -> Bool {
    unsupportedReason(attestation: attestation) == nil
  }

  /// Deletes the private keys of the initialised user that have this authentication type.
  public override func deleteKeys() async throws {
    guard let userId else { return }
    let dependencies = try currentDependencies()
    for key in try await dependencies.storage.find(in: dependencies.scope, userId: userId)
    where key.authType == type() {
      try await dependencies.keyStore.deleteKey(tag: key.keyTag)
      try dependencies.verifiers.vault.remove(tag: key.keyTag)
    }
  }

  override func prepare(_ dependencies: KeyDependencies) {
    super.prepare(dependencies)
    registered = nil
  }

  // MARK: What the flows ask

  /// The first part of every new key's tag.
  var tagPrefix: String { settings?.keyTag ?? "binding" }

  /// Whether the prompt that unlocks the key shows a transaction or a text; `nil` when no such prompt exists.
  var promptShowsTransactions: Bool? { nil }

  /// Checks the app's settings before a key is made.
  func checkSettings() throws {
    guard let bits = settings?.keySizeInBits, bits != 256 else { return }
    throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.keySize(bits))
  }

  // MARK: Keys in the store

  /// Makes a key of this authentication type in the store.
  func createKey(unlock: KeyUnlock) async throws -> KeyPair {
    let dependencies = try currentDependencies()
    let tag = dependencies.reservedTag ?? "\(tagPrefix).\(dependencies.makeID())"
    reserveTag(nil)
    try Task.checkCancellation()
    let key = try await dependencies.keyStore.createKey(
      tag: tag, protection: type().protection, unlock: unlock)
    registered = key
    return KeyPair(key)
  }

  /// Unlocks the key `tag`, by default without asking the person.
  func openKey(tag: String) async throws -> any DeviceKey {
    try await currentDependencies().keyStore.openKey(tag: tag, unlock: .nothing)
  }
}

extension DeviceAuthenticator {
  /// This authenticator when it is one of this module's; `nil` for an app's own.
  ///
  /// Apps cannot change this module's authenticators. These authenticators end when their task is cancelled, sign without
  /// blocking a thread, and know whether their prompt shows a transaction.
  package var standard: StandardAuthenticator? { self as? StandardAuthenticator }

  /// Why ``isSupported(attestation:)`` is false.
  func unsupportedError(attestation: Attestation) -> DeviceBindingError {
    (self as? DefaultDeviceAuthenticator)?.unsupportedReason(attestation: attestation)
      .map { .unsupported(errorMessage: $0) } ?? .deviceNotSupported
  }
}

/// Makes keys that sign without asking: possession of the device is enough.
public class NoneAuthenticator: StandardAuthenticator {
  public init() { super.init(settings: nil) }

  public override func type() -> DeviceBindingAuthenticationType { .none }
}

/// Texts that say what this device cannot do, and what to do instead.
enum UnsupportedReason {
  static let attestation =
    "This device's key store cannot attest a key. Set config.keyStore to one that can, or leave config.requiresAttestation"
    + " unset to let the server decide."

  static func protection(_ type: DeviceBindingAuthenticationType) -> String {
    "The key store cannot protect keys with the authentication type \(type.rawValue). Set config.keyStore to one that can,"
      + " or choose another type in the device binding node."
  }

  static func keySize(_ bits: Int) -> String {
    "Keys have 256 bits (P-256 for ES256), not \(bits). Set keySizeInBits to 256 or leave it out."
  }
}
