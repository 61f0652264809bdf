internal import JourneyEngine
internal import StrictJSON

/// State variables that the nodes of push share, under PingAM's names.
enum PushState {
  /// The id of the open message.
  static let messageID = "pushMessageId"

  /// The sender's message timeout in milliseconds.
  static let timeout = "t"
  static let mechanismUID = "pushMechanismUid"

  /// The number or the code that the login page shows.
  static let number = "pushNumberChallengeKey"

  /// End of the open message, in milliseconds since 1970.
  static let expiration = "pushMessageExpiration"

  /// What the device answered to a number challenge, left after success.
  static let content = "pushContent"

  /// Why the sender or the verifier took its failure outcome.
  static let failureReason = "PushAuthFailureReason"

  /// The kind of second factor to register.
  static let method = "mfaMethod"

  /// End of a registration's time, in milliseconds since 1970.
  static let registrationEnd = "pushRegistrationTimeout"

  /// The enrolment URI, for the time of the registration.
  static let registrationURI = "pushRegistrationUri"

  /// Removes everything that belongs to one message.
  static func clearMessage(_ state: inout JourneyState) {
    for key in [messageID, timeout, mechanismUID, number, expiration, content] { state.shared[key] = nil }
  }
}
