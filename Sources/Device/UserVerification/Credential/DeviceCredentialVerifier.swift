/// Recognises the device's user by the credential of the device itself: the login password, on Linux.
///
/// Cancel the task for a deadline: the person is then asked nothing more, and `CancellationError` is thrown.
public protocol DeviceCredentialVerifier: Sendable {
  /// Whether the device has such a credential.
  var isConfigured: Bool { get }

  /// Asks `source` for the credential and has the device check it.
  ///
  /// - Parameters:
  ///   - reason: What the person agrees to, one sentence without a full stop.
  ///   - source: Where the credential comes from.
  /// - Throws: ``UserVerificationError``, `CancellationError`.
  @discardableResult
  func verify(reason: String, source: any CredentialSource) async throws -> DeviceCredentialVerification
}

/// A person who gave the device's credential.
public struct DeviceCredentialVerification: Sendable, Hashable {
  public init() {}
}

/// Asks the person for a credential, or gets it from somewhere else.
public protocol CredentialSource: Sendable {
  /// The answer to `question`, `nil` when the person cancels.
  ///
  /// The task is cancelled when nobody waits for the answer any more: take the prompt away then. A later answer is
  /// ignored.
  func answer(to question: CredentialQuestion) async -> CredentialSecret?

  /// Shows what the device has to say, for example that the account is locked.
  func show(_ message: String) async
}

extension CredentialSource {
  public func show(_ message: String) async {}
}

/// What a device asks before it verifies its user.
public struct CredentialQuestion: Sendable, Hashable {
  /// What the person agrees to.
  public let reason: String
  /// The device's own words, for example `Password: `. They come from the device's configuration and may be in any language.
  public let prompt: String
  /// Whether the answer may be seen while it is entered.
  public let echoes: Bool

  public init(reason: String, prompt: String, echoes: Bool) {
    self.reason = reason
    self.prompt = prompt
    self.echoes = echoes
  }
}

/// Answers every question with the same secret, or cancels, for tests and for services without a person.
public struct FixedCredentialSource: CredentialSource {
  private let secret: CredentialSecret?

  /// - Parameter secret: The answer; `nil` cancels.
  public init(_ secret: CredentialSecret?) { self.secret = secret }

  public func answer(to question: CredentialQuestion) async -> CredentialSecret? { secret }
}
