/// Why a password was neither hashed nor checked.
public enum PasswordHashingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Too many others are waiting; try again later. HTTP answers 503.
  case overloaded
  /// A new password must have 1 to 1024 bytes of UTF-8.
  case passwordLength
  /// The stored hash cannot be used; the reason is for the operator and does not reveal the hash.
  case unusableHash(String)
  /// libargon2 failed, for example for lack of memory.
  case failed(String)

  public var description: String {
    switch self {
    case .overloaded: "too many passwords are being checked; try again in a moment"
    case .passwordLength: "a password must have 1 to \(PasswordHasher.longestPassword) bytes of UTF-8"
    case .unusableHash(let reason): "the stored password hash cannot be used: \(reason); set a new password"
    case .failed(let reason): "Argon2 could not compute: \(reason)"
    }
  }
}
