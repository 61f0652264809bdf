/// What a journey has shown of the one-time code that it was given.
enum CodeProof: Sendable {
  /// No code was given.
  case notGiven
  /// The journey ended well.
  case accepted
  /// The server's answer to the code was no.
  case refused
  /// A code was given, and the journey ended later or without an answer: the server may have taken it.
  case unknown
}
