internal import AppIntegrity
internal import Concurrency
internal import Foundation
internal import PingJourneyPlugin

/// Asks the app to prove itself. Call ``requestIntegrityToken()``, then continue to the next node, whatever the result.
// Its stored properties are immutable or guarded.
open class FRAppIntegrityCallback: MultipleValuesCallback, @unchecked Sendable {
  /// Base64 of the server's random bytes.
  public let challenge: String

  private let chosen = Locked<(any FRAppAttestation)?>(nil)
  private static let standard = Locked<any FRAppAttestation>(FRAppIntegrityCallback.system)

  private static var system: any FRAppAttestation {
    #if canImport(DeviceCheck)
      FRAppAttestDomainModal.shared
    #else
      NoAppAttestation()
    #endif
  }

  /// The attestation of this process's app: App Attest on Apple's systems. Elsewhere it always fails, until the app sets another, for
  /// example a ``DeviceKeyAttestation`` with the device's TPM.
  public static var attestation: any FRAppAttestation {
    get { standard.withLock { $0 } }
    set { standard.withLock { $0 = newValue } }
  }

  /// The attestation for this callback, in place of the process's ``attestation-type.property``.
  public var attestation: any FRAppAttestation {
    get { chosen.withLock { $0 } ?? Self.attestation }
    set { chosen.withLock { $0 = newValue } }
  }

  /// Reads a callback of the server.
  ///
  /// - Throws: ``AuthError/invalidCallbackResponse(_:)`` when the challenge or one of the inputs for attestation and error is missing.
  required public init(json: [String: Any]) throws {
    guard let challenge = Self.output(AppIntegrityField.challenge, of: json) as? String, !challenge.isEmpty
    else {
      throw AuthError.invalidCallbackResponse("Missing \(AppIntegrityField.challenge)")
    }
    self.challenge = challenge
    try super.init(json: json)
    for field in [AppIntegrityField.attestation, AppIntegrityField.clientError] where inputName(field) == nil
    {
      throw AuthError.invalidCallbackResponse("Missing \(field)")
    }
    posted = PostedAppIntegrityCallback(json)
  }

  /// Makes the device attest the app for the challenge, and fills in the callback's inputs. A failure is put into the inputs, so that the
  /// server can choose the outcome, and thrown.
  ///
  /// - Throws: ``FRDeviceCheckAPIFailure``, or what the device's key store throws.
  open func requestIntegrityToken() async throws {
    do {
      let keys = try await attestation.requestIntegrityToken(challenge: challenge)
      setAttestToken(keys.attestKey)
      setToken(keys.assertKey)
      setKeyId(keys.keyIdentifier)
      setClientData(keys.clientData)
      setClientError("")
    } catch {
      setClientError((error as? FRDeviceCheckAPIFailure ?? .unknownError).clientError)
      throw error
    }
  }

  /// ``requestIntegrityToken()`` for apps without concurrency.
  ///
  /// - Parameter completion: Receives the result, on no particular thread.
  @preconcurrency public func requestIntegrityToken(
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    Task {
      do {
        try await requestIntegrityToken()
        completion(.success(()))
      } catch { completion(.failure(error)) }
    }
  }

  /// Sets the attestation.
  public func setAttestToken(_ attestToken: String) { answer(attestToken, AppIntegrityField.attestation) }
  /// Sets the assertion.
  public func setToken(_ token: String) { answer(token, AppIntegrityField.assertion) }
  /// Sets the identifier of the attested key.
  public func setKeyId(_ keyId: String) { answer(keyId, AppIntegrityField.keyID) }
  /// Sets the client data that was attested.
  public func setClientData(_ clientData: String) { answer(clientData, AppIntegrityField.clientData) }
  /// Sets the error that is sent in place of a proof.
  public func setClientError(_ clientError: String) { answer(clientError, AppIntegrityField.clientError) }

  private func answer(_ text: String, _ field: String) {
    if let name = inputName(field) { put(text, into: name) }
  }

  /// The name of an input in this step: `IDToken`, the callback's number, and the field's name.
  private func inputName(_ field: String) -> String? {
    inputNames.first { name in
      name.hasPrefix("IDToken") && name.dropFirst(7).drop(while: \.isNumber) == field
    }
  }
}

/// The callback as it is posted.
// Adds no stored property.
final class PostedAppIntegrityCallback: AbstractCallback, @unchecked Sendable {
  required init() {}

  convenience init(_ json: [String: Any]) {
    self.init()
    _ = initialize(with: json)
  }
}
