import DeviceKeys
import PingBinding
import TerminalPrompts

/// Explains failures of this device in binding and signing to the user, with the next step.
enum DeviceFailure {
  /// - Parameters:
  ///   - cause: The detailed cause, if known.
  ///   - triesLeft: The remaining PIN tries, if known.
  ///   - elsewhere: The failure when all keys of this device belong to other servers or realms.
  static func explain(
    _ status: DeviceBindingStatus, because cause: (any Error)? = nil, triesLeft: PINTries? = nil,
    elsewhere: CommandFailure? = nil
  ) -> CommandFailure {
    let left = triesLeft.map { " \($0.sentence)" } ?? ""
    return switch cause {
    // The message omits the key's tag, which means nothing to the user.
    case DeviceKeyError.lockedOut(_, let retryAfter)?:
      .locked(
        "Too many wrong PINs: no PIN is accepted for now, not even the right one. Try again "
          + (retryAfter.map { "in \(TerminalText.duration($0))" }
            ?? "later; a token's locked PIN needs the tool of its maker") + ".\(left)")
    case DeviceKeyError.disabled?:
      .locked(
        "Too many wrong PINs: the key is disabled for good and was removed here. Delete the server's record of it with `sealring "
          + "devices`, or have an administrator do it, and bind the device again with `sealring bind`."
      )
    case DeviceKeyError.wrongPIN?: .wrongSecret("The PIN is wrong.\(left)")
    case DeviceKeyError.lost(_, let reason)?:
      .notFound("The key is gone: \(reason). Bind the device again with `sealring bind`.")
    case let other as KeyOfAnotherUser:
      .notFound(
        "The server asks for the key of somebody else than \(printable(other.username)). Nothing was signed.")
    default: explanation(of: status, left, isLast: triesLeft?.left == 0, elsewhere)
    }
  }

  private static func explanation(
    of status: DeviceBindingStatus, _ left: String, isLast: Bool, _ elsewhere: CommandFailure?
  ) -> CommandFailure {
    switch status {
    case .timeout:
      .expired("The time for this step ran out before the key was unlocked. Run the command again.")
    case .abort: unanswered
    case .unsupported(let message): .unsupported(message ?? "This device cannot do that.")
    case .clientNotRegistered:
      elsewhere
        ?? .notFound("There is no usable key for this on this device. Bind it first with `sealring bind`.")
    case .unAuthorize:
      .wrongSecret(
        "The PIN is wrong.\(left)"
          + (isLast ? "" : " Run the command again with the right one; a forgotten PIN means binding again.")
      )
    case .invalidCustomClaims:
      .usage(
        "A claim has a reserved name (sub, exp, iat, nbf, iss, challenge, txn, platform) or a value that JSON cannot hold. Rename it."
      )
    }
  }

  /// The failure when the prompt got no answer.
  private static var unanswered: CommandFailure {
    if let unasked = Terminal.controlling.unasked {
      return unasked.isSecret
        ? .nobodyToAsk("A PIN is needed", unasked.reason, "Pass it with --pin-stdin.")
        : .nobodyToAsk(
          "A choice or an approval is needed", unasked.reason,
          "Name the key's user with --username; approve a transaction with --yes.")
    }
    return switch Terminal.controlling.asked {
    case .secret: .cancelled(because: "no PIN was entered")
    case .visible: .cancelled(because: "no key was chosen")
    case nil: .cancelled(because: "the key was not unlocked")
    }
  }
}
