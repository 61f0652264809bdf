public import JourneyEngine
public import PasswordHashing

/// A password that was not looked at refuses nobody: the client gets 503, and comes back.
extension PasswordHashingError: ServiceFailure {
  public var isUnavailability: Bool {
    switch self {
    case .overloaded, .failed: true
    case .passwordLength, .unusableHash: false
    }
  }
}
