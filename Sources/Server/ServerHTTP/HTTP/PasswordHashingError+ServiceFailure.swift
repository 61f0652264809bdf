public import JourneyEngine
public import PasswordHashing

/// A password that was not checked is not a refusal: the client gets 503, and tries again.
extension PasswordHashingError: ServiceFailure {
  public var isUnavailability: Bool {
    switch self {
    case .overloaded, .failed: true
    case .passwordLength, .unusableHash: false
    }
  }
}
