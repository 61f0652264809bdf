internal import Crypto
internal import CryptoExtras
internal import Dispatch
internal import Foundation

/// How the key that encrypts a private key is derived, as written into its envelope.
enum KeyDerivation: Sendable, Hashable {
  /// From the device's secret alone (RFC 5869).
  case deviceSecret
  /// From the device's secret and scrypt of the PIN: neither the file nor the PIN is enough without the other.
  case deviceSecretAndPIN(ScryptCost)
  /// From the device's secret and the authorisation value, which is random: it needs no stretching (RFC 5869).
  case deviceSecretAndAuthorization

  /// The derivation for a new key that `unlock` unlocks.
  init(for unlock: KeyUnlock, cost: ScryptCost) {
    self =
      switch unlock {
      case .nothing, .systemPrompt: .deviceSecret
      case .pin: .deviceSecretAndPIN(cost)
      case .authorization: .deviceSecretAndAuthorization
      }
  }

  /// scrypt takes long enough to starve other tasks, so it has a thread of its own; one at a time bounds its memory.
  private static let queue = DispatchQueue(label: "com.sealring.devicekeys.scrypt", qos: .userInitiated)

  /// The key that encrypts the private key of an envelope with `salt`.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `unlock` does not fit the derivation.
  func key(secret: FolderSecret, salt: [UInt8], unlock: KeyUnlock) async throws -> SymmetricKey {
    switch self {
    case .deviceSecret:
      return secret.key(for: KeyPurpose.encryption, salt: salt)
    case .deviceSecretAndPIN(let cost):
      guard let pin = unlock.pin else {
        throw DeviceKeyError.unsupported("This key is unlocked by its PIN only.")
      }
      let stretched = try await Self.scrypt(pin, salt: salt, cost: cost)
      return secret.key(for: KeyPurpose.encryptionWithPIN, with: stretched, salt: salt)
    case .deviceSecretAndAuthorization:
      guard let value = unlock.authorization else {
        throw DeviceKeyError.unsupported("This key is unlocked by its authorisation only.")
      }
      return secret.key(
        for: KeyPurpose.encryptionWithAuthorization, with: value.withBytes { SymmetricKey(data: $0) },
        salt: salt)
    }
  }

  private static func scrypt(_ pin: PIN, salt: [UInt8], cost: ScryptCost) async throws -> SymmetricKey {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result {
            try KDF.Scrypt.deriveKey(
              from: pin.bytes, salt: salt, outputByteCount: 32, rounds: cost.rounds,
              blockSize: cost.blockSize,
              parallelism: cost.parallelism)
          })
      }
    }
  }
}

/// The purposes for which the software store derives keys from its ``FolderSecret``.
enum KeyPurpose: String {
  case encryption = "sealring device key v1 encryption"
  case encryptionWithPIN = "sealring device key v1 encryption with PIN"
  case encryptionWithAuthorization = "sealring device key v1 encryption with authorization"
  case integrity = "sealring device key v1 integrity"
}
