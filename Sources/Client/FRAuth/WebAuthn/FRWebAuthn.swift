internal import Concurrency
public import Foundation
internal import PingDeviceClient
internal import PingFido
public import WebAuthnAuthenticator

/// Manages the discoverable keys of this device's own authenticator, as in the earlier SDK. Calls block while files are read and
/// while the server is asked: do not call them on the main thread. `WebAuthnKeys` of PingFido is the asynchronous form, for all
/// keys.
public class FRWebAuthn: NSObject {
  /// The discoverable keys for the relying party `rpId`, oldest first; empty when they cannot be read.
  public static func loadAllCredentials(by rpId: String) -> [PublicKeyCredentialSource] {
    let keys = try? Blocking.run { try await WebAuthnKeys().all(relyingPartyID: rpId) }
    return keys?.filter(\.isDiscoverable) ?? []
  }

  /// Removes all keys for the relying party `rpId` from this device. The server is not told.
  public static func deleteCredentials(by rpId: String) {
    try? Blocking.run {
      let keys = WebAuthnKeys()
      for key in try await keys.all(relyingPartyID: rpId) { try await keys.delete(key) }
    }
  }

  /// Removes a key from this device. The server is not told.
  @available(*, deprecated, message: "Use deleteCredential(publicKeyCredentialSource:forceDelete:).")
  public static func deleteCredential(with publicKeyCredentialSource: PublicKeyCredentialSource) {
    try? Blocking.run { try await WebAuthnKeys().delete(publicKeyCredentialSource) }
  }

  /// Removes a key on the server, for the person who is signed in, and then from this device. A key that is not discoverable is
  /// removed from this device only.
  ///
  /// - Parameter forceDelete: Whether to remove the key from this device even when the server's record could not be removed; the
  ///   failure is thrown anyway.
  /// - Throws: ``ConfigError``, `DeviceError`, `DeviceKeyError`.
  public static func deleteCredential(
    publicKeyCredentialSource: PublicKeyCredentialSource, forceDelete: Bool = false
  ) throws {
    try Blocking.run {
      try await delete(publicKeyCredentialSource, forceDelete: forceDelete)
    }
  }

  /// ``deleteCredential(publicKeyCredentialSource:forceDelete:)`` without blocking.
  public static func deleteCredential(
    publicKeyCredentialSource: PublicKeyCredentialSource, forceDelete: Bool = false
  ) async throws {
    try await delete(publicKeyCredentialSource, forceDelete: forceDelete)
  }

  private static func delete(_ key: PublicKeyCredentialSource, forceDelete: Bool) async throws {
    let keys = WebAuthnKeys()
    guard key.isDiscoverable else { return try await keys.delete(key) }
    let server: DeviceClient
    do { server = try await FRAuth.signedInDevices(for: .USER_INFO) } catch {
      if forceDelete { try await keys.delete(key) }
      throw error
    }
    try await keys.delete(key, on: server, forceDelete: forceDelete)
  }
}
