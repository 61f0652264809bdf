/// A device in memory whose user has the given password, for tests and previews.
public struct MemoryCredentialVerifier: DeviceCredentialVerifier {
  private let password: String?

  /// - Parameter password: The user's password; `nil` when the device has none.
  public init(password: String?) { self.password = password }

  public var isConfigured: Bool { password != nil }

  public func verify(reason: String, source: any CredentialSource) async throws {
    guard let password else { throw UserVerificationError.unavailable("no password is set") }
    let question = CredentialQuestion(reason: reason, prompt: "Password: ", echoes: false)
    let answer = await source.answer(to: question)
    try Task.checkCancellation()
    guard let answer else { throw UserVerificationError.canceled }
    guard answer.withBytes({ $0.elementsEqual(password.utf8) }) else {
      throw UserVerificationError.notRecognised
    }
  }
}

/// Answers every question with the same secret, or cancels, for tests and for services without a person.
public struct FixedCredentialSource: CredentialSource {
  private let secret: CredentialSecret?

  /// - Parameter secret: The answer; `nil` cancels.
  public init(_ secret: CredentialSecret?) { self.secret = secret }

  public func answer(to question: CredentialQuestion) async -> CredentialSecret? { secret }
}
