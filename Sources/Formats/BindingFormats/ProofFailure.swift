/// Why a device's proof was not accepted. Each check has its own case.
package enum ProofFailure: String, Error, Hashable, CaseIterable {
  case malformed = "the proof is not a compact JWS, or is too long"
  case algorithmNotAllowed = "the proof's `alg` is not one of ES256, RS256, RS384, RS512"
  case extensionDemanded = "the proof demands an extension (`crit`, `b64`), and none is understood"
  case typeNotAllowed = "the proof's `typ` is neither JWS nor JWT"
  case keyIDMissing = "the proof's `kid` is missing, empty or longer than 256 bytes"
  case keyMissing = "the proof's header has no `jwk`"
  case keyRefused = "the proof's `jwk` is not an acceptable public key"
  case keyIDMismatch = "the proof's `kid` and that of its `jwk` differ"
  case algorithmMismatch = "the proof's `alg` is not that of the key"
  case signatureInvalid = "the signature is wrong"
  case claimsMalformed = "the proof's payload is not a JSON object, or a claim has the wrong type"
  case subjectMismatch = "`sub` is not the user of this journey"
  case userUnknown = "`sub` names no user of this realm"
  case userNotActive = "the user is not active"
  case accountLocked = "the account is locked after too many failures"
  case challengeMissing = "the state variable that holds the challenge is empty"
  case challengeReserved = """
    the text to sign has the form of a server's own challenge (32 bytes in Base64); sign another text
    """
  case challengeMismatch = "`challenge` is not the one sent"
  case transactionMissing = """
    `txn` is missing: the device does not say that it showed the transaction; update the app, or \
    register the application with --plain-proofs
    """
  case transactionMismatch = "`txn` is another transaction's id"
  case transactionUnexpected = "`txn` is present: the proof approves a transaction and is valid only for that"
  case issuerMissing = "`iss` is missing"
  case issuerNotAllowed = "`iss` is not one of the node's application ids"
  case expiryMissing = "`exp` is missing"
  case expired = "`exp` has passed"
  case lifetimeTooLong = "`exp` is more than an hour after `iat`"
  case notYetValid = "`nbf` lies in the future"
  case issuedInFuture = "`iat` lies in the future"
  case replayed = "this proof has been accepted before"

  /// For the operator's log.
  package var text: String { rawValue }

  /// The value of `DeviceSigningVerifierNode.FAILURE`.
  package var captured: String {
    switch self {
    case .malformed, .algorithmNotAllowed, .extensionDemanded, .typeNotAllowed, .keyIDMissing, .keyMissing,
      .keyRefused,
      .keyIDMismatch, .algorithmMismatch, .signatureInvalid:
      "INVALID_SIGNATURE"
    case .subjectMismatch: "INVALID_SUBJECT"
    case .userUnknown: "INVALID_USER"
    case .userNotActive, .accountLocked: "NOT_ACTIVE_USER"
    case .claimsMalformed, .challengeMissing, .challengeReserved, .challengeMismatch, .transactionMissing,
      .transactionMismatch, .transactionUnexpected, .issuerMissing, .issuerNotAllowed,
      .expiryMissing, .expired, .lifetimeTooLong, .notYetValid, .issuedInFuture, .replayed:
      "INVALID_CLAIM"
    }
  }

  /// Whether the failure counts towards the account's lock. A wrong clock, a repeated request, or a valid signature for something else
  /// does not count, because none of them is a guess.
  package var countsAgainstAccount: Bool {
    switch self {
    case .expired, .lifetimeTooLong, .notYetValid, .issuedInFuture, .replayed, .userUnknown, .userNotActive,
      .accountLocked, .challengeMissing, .challengeReserved, .keyIDMissing, .transactionMissing,
      .transactionMismatch, .transactionUnexpected:
      false
    default: true
    }
  }
}
