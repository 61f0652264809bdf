internal import AppIntegrity
internal import Bytes
public import Foundation
internal import StrictJSON

#if canImport(DeviceCheck)
  internal import DeviceCheck
#endif

/// The operations of App Attest's `DCAppAttestService`.
public protocol FRAppAttestService: Sendable {
  var isSupported: Bool { get }
  func generateKey() async throws -> String
  func attest(keyIdentifier: String, clientDataHash: Data) async throws -> Data
  func generateAssertion(keyIdentifier: String, clientDataHash: Data) async throws -> Data
}

/// Proves the app with Apple's App Attest: a new key, which Apple attests for the server's challenge and the app, and its first assertion.
public struct FRAppAttestDomainModal: FRAppAttestation {
  private let service: any FRAppAttestService
  private let bundleIdentifier: String?

  public init(service: any FRAppAttestService, bundleIdentifier: String? = Bundle.main.bundleIdentifier) {
    self.service = service
    self.bundleIdentifier = bundleIdentifier
  }

  public func requestIntegrityToken(challenge: String) async throws -> FRAppIntegrityKeys {
    guard service.isSupported else { throw FRDeviceCheckAPIFailure.featureUnsupported }
    guard let bundleIdentifier, !bundleIdentifier.isEmpty else {
      throw FRDeviceCheckAPIFailure.invalidBundleIdentifier
    }
    guard PaddedBase64.decode(challenge)?.isEmpty == false else {
      throw FRDeviceCheckAPIFailure.invalidChallenge
    }
    let clientData = AppIntegrityClientData(challenge: challenge, bundleID: bundleIdentifier).json.serialized
    let hash = Data(AppIntegrityClientData.hash(clientData))
    let key = try await service.generateKey()
    let attestation = try await service.attest(keyIdentifier: key, clientDataHash: hash)
    let assertion = try await service.generateAssertion(keyIdentifier: key, clientDataHash: hash)
    return FRAppIntegrityKeys(
      attestKey: PaddedBase64.encode(attestation), assertKey: PaddedBase64.encode(assertion),
      keyIdentifier: key,
      clientData: PaddedBase64.encode(clientData))
  }
}

#if canImport(DeviceCheck)
  extension FRAppAttestDomainModal {
    /// The attestation by the system's service.
    public static let shared = FRAppAttestDomainModal(service: SystemAppAttest())
  }

  /// The system's service.
  struct SystemAppAttest: FRAppAttestService {
    var isSupported: Bool { DCAppAttestService.shared.isSupported }

    func generateKey() async throws -> String {
      try await Self.translating { try await DCAppAttestService.shared.generateKey() }
    }

    func attest(keyIdentifier: String, clientDataHash: Data) async throws -> Data {
      try await Self.translating {
        try await DCAppAttestService.shared.attestKey(keyIdentifier, clientDataHash: clientDataHash)
      }
    }

    func generateAssertion(keyIdentifier: String, clientDataHash: Data) async throws -> Data {
      try await Self.translating {
        try await DCAppAttestService.shared.generateAssertion(keyIdentifier, clientDataHash: clientDataHash)
      }
    }

    private static func translating<Value: Sendable>(
      _ body: () async throws -> Value
    ) async throws -> Value {
      do { return try await body() } catch let error as DCError {
        throw FRDeviceCheckAPIFailure(error.code)
      }
    }
  }

  extension FRDeviceCheckAPIFailure {
    init(_ code: DCError.Code) {
      switch code {
      case .unknownSystemFailure: self = .unknownSystemFailure
      case .featureUnsupported: self = .featureUnsupported
      case .invalidInput: self = .invalidInput
      case .invalidKey: self = .invalidKey
      case .serverUnavailable: self = .serverUnavailable
      @unknown default: self = .unknownError
      }
    }
  }
#endif
