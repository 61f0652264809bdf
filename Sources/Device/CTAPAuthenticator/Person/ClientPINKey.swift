internal import Crypto
internal import CTAP
package import DeviceKeys
internal import Foundation

/// The security key's PIN: a key of the key store that only the right PIN opens. The store that has the key therefore counts wrong PINs,
/// delays them and finally refuses them for good; in a TPM the chip does.
///
/// Platforms send the first half of a PIN's SHA-256 (CTAP 2.1 §6.5.5.7), so that is what opens the key.
package struct ClientPINKey {
  /// The tag of the one key.
  static let tag = "ctap:pin"
  /// The largest number of tries that is reported (§6.5.2.2).
  private static let mostTries = 8

  let store: any DeviceKeyStore

  package init(store: any DeviceKeyStore) { self.store = store }

  var isSet: Bool {
    get async throws {
      do {
        _ = try await store.kind(ofKey: Self.tag)
        return true
      } catch DeviceKeyError.notFound {
        return false
      }
    }
  }

  /// How many wrong PINs are still accepted. While a security chip refuses all PINs it is 1: platforms take 0 for a PIN that is blocked for
  /// good.
  var tries: Int {
    get async throws {
      guard let tries = try await store.pinTries(tag: Self.tag) else { return Self.mostTries }
      return min(Self.mostTries, tries.isOfChip ? max(1, tries.left) : tries.left)
    }
  }

  package static func hash(_ pin: PIN) -> [UInt8] { Array(SHA256.hash(data: pin.bytes).prefix(16)) }

  package func set(_ hash: [UInt8]) async throws {
    try await reporting {
      _ = try await store.createKey(tag: Self.tag, protection: .applicationPIN, unlock: .pin(opening(hash)))
    }
  }

  /// - Throws: ``CTAPStatus/pinInvalid``, ``CTAPStatus/pinAuthBlocked`` for a while, ``CTAPStatus/pinBlocked`` for good.
  func check(_ hash: [UInt8]) async throws {
    try await reporting { _ = try await store.openKey(tag: Self.tag, unlock: .pin(opening(hash))) }
  }

  func change(from hash: [UInt8], to other: [UInt8]) async throws {
    try await reporting { try await store.changePIN(tag: Self.tag, from: opening(hash), to: opening(other)) }
  }

  func remove() async throws { try await store.deleteKey(tag: Self.tag) }

  private func opening(_ hash: [UInt8]) -> PIN { PIN(Data(hash).base64EncodedString()) }

  private func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as DeviceKeyError {
      switch error {
      case .wrongPIN: throw CTAPStatus.pinInvalid
      case .lockedOut: throw CTAPStatus.pinAuthBlocked
      case .disabled: throw CTAPStatus.pinBlocked
      case .notFound: throw CTAPStatus.pinNotSet
      case .exists: throw CTAPStatus.pinAuthInvalid
      default: throw error
      }
    }
  }
}
