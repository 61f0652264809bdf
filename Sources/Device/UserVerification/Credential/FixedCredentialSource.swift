/// Answers every question with the same secret, or cancels, for tests and for services without a person.
public struct FixedCredentialSource: CredentialSource {
  private let secret: CredentialSecret?

  /// - Parameter secret: The answer; `nil` cancels.
  public init(_ secret: CredentialSecret?) { self.secret = secret }

  public func answer(to question: CredentialQuestion) async -> CredentialSecret? { secret }
}
