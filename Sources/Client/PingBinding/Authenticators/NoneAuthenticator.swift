public import DeviceKeys

/// Makes keys that sign without asking: possession of the device is enough.
public class NoneAuthenticator: DefaultDeviceAuthenticator {
  public override init() { super.init() }

  public override func type() -> DeviceBindingAuthenticationType { .none }

  public override func isSupported(attestation: Attestation) -> Bool {
    unsupportedReason(attestation: attestation) == nil
  }

  public override func register() async throws -> KeyPair { try await createKey(unlock: .nothing) }

  @_disfavoredOverload
  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    if let key = takeRegistered(keyTag: keyTag) { return .success(key) }
    do {
      return .success(try await currentDependencies().keyStore.openKey(tag: keyTag, unlock: .nothing))
    } catch {
      return .failure(error)
    }
  }

  public override func deleteKeys() async throws { try await deleteStoredKeys() }
}

/// What cannot be done on this device, and what to do instead.
enum UnsupportedReason {
  static let attestation =
    "This device's key store cannot attest a key. Set config.keyStore to one that can, or leave config.requiresAttestation"
    + " out, and the server decides."

  static func protection(_ type: DeviceBindingAuthenticationType) -> String {
    "The key store cannot protect keys with the authentication type \(type.rawValue). Set config.keyStore to one that can,"
      + " or choose another type in the device binding node."
  }

  static func keySize(_ bits: Int) -> String {
    "Keys have 256 bits (P-256 for ES256), not \(bits). Set keySizeInBits to 256 or leave it out."
  }
}
