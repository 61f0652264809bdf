internal import AppIntegrity
internal import Bytes
public import DeviceKeys
internal import Foundation

/// Proves the device with a key store whose keys can be attested, such as a TPM's. A new key, attested for the server's challenge, signs
/// the challenge and the application id. The identity of the app is the app's own statement.
public struct DeviceKeyAttestation: FRAppAttestation {
  private let keyStore: any DeviceKeyStore
  private let applicationID: String

  /// - Parameters:
  ///   - keyStore: `TPMKeyStore`, on a device whose attestation key has a certificate.
  ///   - applicationID: One of the application ids that the server's node lists.
  public init(keyStore: any DeviceKeyStore, applicationID: String) {
    self.keyStore = keyStore
    self.applicationID = applicationID
  }

  public func requestIntegrityToken(challenge: String) async throws -> FRAppIntegrityKeys {
    guard case .available = await keyStore.attestationAvailability() else {
      throw FRDeviceCheckAPIFailure.featureUnsupported
    }
    guard !applicationID.isEmpty else { throw FRDeviceCheckAPIFailure.invalidBundleIdentifier }
    guard let bytes = PaddedBase64.decode(challenge), !bytes.isEmpty else {
      throw FRDeviceCheckAPIFailure.invalidChallenge
    }
    // The key is used once, and removed whatever happens.
    let tag = "app-integrity.\(UUID().uuidString)"
    do {
      let token = try await token(of: tag, challenge: challenge, bytes)
      try await keyStore.deleteKey(tag: tag)
      return FRAppIntegrityKeys(attestKey: token)
    } catch {
      try? await keyStore.deleteKey(tag: tag)
      throw error
    }
  }

  private func token(of tag: String, challenge: String, _ bytes: [UInt8]) async throws -> String {
    let key = try await keyStore.createKey(tag: tag, protection: .none, unlock: .nothing)
    guard let attestable = key as? any AttestableDeviceKey else {
      throw FRDeviceCheckAPIFailure.featureUnsupported
    }
    let evidence = try await attestable.attestation(challenge: bytes)
    return try await AppIntegrityToken.signed(
      AppIntegrityClientData(challenge: challenge, bundleID: applicationID), publicKey: key.publicKey,
      evidence: evidence.jwkMembers, by: key)
  }
}
