/// A device in memory whose user has the given password, for tests and previews.
public struct MemoryCredentialVerifier: DeviceCredentialVerifier {
  private let password: String?

  /// - Parameter password: The user's password; `nil` when the device has none.
  public init(password: String?) { self.password = password }

  public var isConfigured: Bool { password != nil }

  @discardableResult
  public func verify(
    reason: String, source: any CredentialSource
  ) async throws -> DeviceCredentialVerification {
    guard let password else { throw UserVerificationError.unavailable("no password is set") }
    let question = CredentialQuestion(reason: reason, prompt: "Password: ", echoes: false)
    let answer = await source.answer(to: question)
    try Task.checkCancellation()
    guard let answer else { throw UserVerificationError.canceled }
    guard answer.withBytes({ $0.elementsEqual(password.utf8) }) else {
      throw UserVerificationError.notRecognised
    }
    return DeviceCredentialVerification()
  }
}
