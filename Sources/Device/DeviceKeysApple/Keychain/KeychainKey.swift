#if canImport(Security)
  public import DeviceKeys
  internal import Foundation
  public import JOSE
  internal import LocalAuthentication
  public import Security

  /// A P-256 key of Security.framework, from a Secure Enclave, the keychain or the app itself.
  ///
  /// When the key asks for a person, the system shows its prompt at the signature; cancelling the task takes it away.
  // SecKey is immutable and documented as safe to use from any thread; of the context only `invalidate()` is called here,
  // which is what it is for while another thread waits for the person.
  public struct KeychainKey: DeviceKey, @unchecked Sendable {
    public let tag: String
    public let publicKey: JWK
    /// The key itself.
    public let secKey: SecKey
    /// The public key.
    public let publicSecKey: SecKey
    /// The public key: 04 ‖ x ‖ y (ANSI X9.63).
    let point: [UInt8]
    private let context: LAContext?

    /// - Parameter privateKey: A private key on the curve P-256.
    /// - Throws: ``DeviceKeyError/unsupported(_:)`` for any other key.
    public init(tag: String, privateKey: SecKey) throws {
      try self.init(tag: tag, privateKey: privateKey, context: nil)
    }

    init(tag: String, privateKey: SecKey, context: LAContext?) throws {
      guard let publicSecKey = SecKeyCopyPublicKey(privateKey),
        let point = SecKeyCopyExternalRepresentation(publicSecKey, nil) as Data?,
        let jwk = try? JWK(p256X963: Array(point), keyID: nil),
        SecKeyIsAlgorithmSupported(privateKey, .sign, .ecdsaSignatureMessageX962SHA256)
      else {
        throw DeviceKeyError.unsupported(
          "The key '\(tag)' cannot sign ES256: it is not a private key on P-256.")
      }
      self.tag = tag
      self.publicKey = jwk
      self.point = Array(point)
      secKey = privateKey
      self.publicSecKey = publicSecKey
      self.context = context
    }

    /// - Throws: ``DeviceKeyError``, `UserVerificationError`, `CancellationError`.
    public func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
      do throws(AppleFailure) {
        return try await sign(signingInput)
      } catch {
        // When the prompt is taken away, the system reports an error.
        try Task.checkCancellation()
        throw error.error(usingKey: tag)
      }
    }

    /// Takes away the system's prompt for a signature by this key, if there is one.
    public func cancelPrompt() { context?.invalidate() }

    /// Signs outside Swift's cooperative threads, which must not wait for a person.
    func sign(_ input: [UInt8]) async throws(AppleFailure) -> [UInt8] {
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { (done: CheckedContinuation<Result<[UInt8], AppleFailure>, Never>) in
          DispatchQueue.global(qos: .userInitiated).async { done.resume(returning: signNow(input)) }
        }
      } onCancel: {
        cancelPrompt()
      }
      return try result.get()
    }

    private func signNow(_ input: [UInt8]) -> Result<[UInt8], AppleFailure> {
      var failure: Unmanaged<CFError>?
      let der = SecKeyCreateSignature(
        secKey, .ecdsaSignatureMessageX962SHA256, Data(input) as CFData, &failure)
      guard let der = der as Data? else { return .failure(AppleFailure(failure)) }
      guard let signature = try? ECDSASignatureFormat.raw(fromDER: Array(der)) else {
        return .failure(.other(0))
      }
      return .success(signature)
    }
  }
#endif
