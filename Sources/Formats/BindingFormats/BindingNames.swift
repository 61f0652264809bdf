// The names of the binding protocol: PingAM's, except where they are said to be ours. Each is spelled here and nowhere else.

/// The types of the two callbacks.
package enum BindingCallbackType {
  package static let bind = "DeviceBindingCallback"
  package static let sign = "DeviceSigningVerifierCallback"
}

/// The fields of the two callbacks.
package enum BindingField {
  // Outputs
  package static let userID = "userId"
  package static let username = "username"
  package static let authenticationType = "authenticationType"
  package static let challenge = "challenge"
  package static let title = "title"
  package static let subtitle = "subtitle"
  package static let description = "description"
  /// Seconds.
  package static let timeout = "timeout"
  package static let attestation = "attestation"
  /// Ours: the transaction that the challenge stands for.
  package static let transaction = "transaction"

  // Inputs
  package static let jws = "jws"
  package static let deviceName = "deviceName"
  package static let deviceID = "deviceId"
  package static let clientError = "clientError"
}

/// The claims of a proof: those of RFC 7519 §4.1, and PingAM's.
package enum ProofClaim {
  /// The user's universal id.
  package static let subject = "sub"
  /// The app: its bundle id or package name.
  package static let issuer = "iss"
  package static let expiry = "exp"
  package static let notBefore = "nbf"
  package static let issuedAt = "iat"
  package static let challenge = "challenge"
  package static let platform = "platform"
  /// Ours: the id of the transaction that the device showed and its user approved (RFC 8417 §2.2).
  package static let transaction = "txn"

  /// All claims of the protocol. Other claims are the application's own.
  package static let all: Set = [
    subject, issuer, expiry, notBefore, issuedAt, challenge, platform, transaction,
  ]
}

/// The authentication that a bound key requires before it signs.
package enum BindingAuthenticationType: String, Sendable, CaseIterable {
  case biometricOnly = "BIOMETRIC_ONLY"
  case biometricAllowFallback = "BIOMETRIC_ALLOW_FALLBACK"
  case applicationPIN = "APPLICATION_PIN"
  case none = "NONE"
}

/// A client's reason for sending no proof, in the input `clientError`. A node's outcomes have the same names.
package enum BindingClientError {
  package static let abort = "Abort"
  package static let unsupported = "Unsupported"
  package static let timeout = "Timeout"
  package static let clientNotRegistered = "ClientNotRegistered"
}
