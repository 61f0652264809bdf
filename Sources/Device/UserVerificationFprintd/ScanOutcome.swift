#if os(Linux)
  internal import UserVerification

  /// What a step of a scan means: the finger was recognised, or the person has to try again with this text.
  struct ScanOutcome: Hashable {
    /// `nil` when the finger was recognised.
    let tryAgain: String?

    /// - Throws: ``UserVerificationError`` when the scan is over without success.
    init(_ status: FingerprintReader.Status) throws {
      switch status.result {
      case "verify-match" where status.isDone: tryAgain = nil
      case "verify-no-match" where status.isDone: throw UserVerificationError.notRecognised
      case "verify-disconnected": throw UserVerificationError.readerGone
      case _ where status.isDone:
        throw UserVerificationError.unavailable("the scan ended with \(status.result)")
      case "verify-swipe-too-short": tryAgain = "That was too short. Swipe again."
      case "verify-finger-not-centered": tryAgain = "The finger was not centred. Try again."
      case "verify-remove-and-retry": tryAgain = "Lift the finger and try again."
      default: tryAgain = "The finger could not be read. Try again."
      }
    }
  }
#endif
