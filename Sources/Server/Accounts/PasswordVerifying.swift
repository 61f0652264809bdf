/// Checks and makes password hashes.
public protocol PasswordVerifying: Sendable {
  /// Whether `password` has the hash. `nil`, the hash of an unknown user, is never right and costs the same time.
  func verify(_ password: String, against hash: String?) async throws -> Bool

  /// The same for a name that may not exist: a check without a hash takes as long as with one.
  func verify(_ password: String, against hash: String?, of name: String) async throws -> Bool

  /// The hash under which to store a new password.
  func hash(_ password: String) async throws -> String

  /// Whether a password that matched `hash` should be hashed again, because the cost of hashes has changed.
  func needsRehash(_ hash: String) -> Bool
}

extension PasswordVerifying {
  public func verify(_ password: String, against hash: String?, of name: String) async throws -> Bool {
    try await verify(password, against: hash)
  }

  public func needsRehash(_ hash: String) -> Bool { false }
}
