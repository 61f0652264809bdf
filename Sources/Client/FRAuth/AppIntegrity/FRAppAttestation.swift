public import Foundation

/// Proves to a server which app sends the request, or at least which device.
public protocol FRAppAttestation: Sendable {
  /// Makes the device attest a new key for `challenge`.
  ///
  /// - Parameter challenge: The callback's challenge, in Base64.
  /// - Throws: ``FRDeviceCheckAPIFailure``, or what the device's key store throws.
  func requestIntegrityToken(challenge: String) async throws -> FRAppIntegrityKeys
}

/// The answers to the callback, as they are sent.
public struct FRAppIntegrityKeys: Sendable, Hashable {
  /// App Attest's attestation object in Base64; on a device with a TPM a signed token that contains everything.
  public let attestKey: String
  /// App Attest's assertion in Base64; else empty.
  public let assertKey: String
  /// App Attest's identifier of the key; else empty.
  public let keyIdentifier: String
  /// What App Attest has attested, JSON in Base64; else empty.
  public let clientData: String

  public init(attestKey: String, assertKey: String = "", keyIdentifier: String = "", clientData: String = "")
  {
    self.attestKey = attestKey
    self.assertKey = assertKey
    self.keyIdentifier = keyIdentifier
    self.clientData = clientData
  }
}

/// Why there is no proof of the app.
public enum FRDeviceCheckAPIFailure: String, LocalizedError, Hashable, Sendable, CaseIterable {
  case unknownSystemFailure, featureUnsupported, invalidInput, invalidKey, serverUnavailable
  /// The server's challenge is not Base64.
  case invalidChallenge
  /// The program has no bundle identifier, or no application id.
  case invalidBundleIdentifier
  case unknownError

  /// The error that is sent to the server: `Unsupported` or `ClientDeviceErrors`.
  public var clientError: String { self == .featureUnsupported ? "Unsupported" : "ClientDeviceErrors" }

  public var errorDescription: String? {
    switch self {
    case .unknownSystemFailure: "The system could not attest the app."
    case .featureUnsupported:
      "This device cannot attest an app. Where there is a TPM, set FRAppIntegrityCallback.attestation; its attestation key needs a "
        + "certificate ('sealring attestation request')."
    case .invalidInput: "The system did not accept what was to be attested."
    case .invalidKey: "The system did not accept the key to be attested."
    case .serverUnavailable: "Apple's attestation service could not be reached. Try again later."
    case .invalidChallenge: "The server's challenge is not valid Base64."
    case .invalidBundleIdentifier: "The app has no identifier to be attested."
    case .unknownError: "The app could not be attested."
    }
  }
}

/// The attestation on systems without App Attest, until the app sets another.
struct NoAppAttestation: FRAppAttestation {
  func requestIntegrityToken(challenge: String) async throws -> FRAppIntegrityKeys {
    throw FRDeviceCheckAPIFailure.featureUnsupported
  }
}
