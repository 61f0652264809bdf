import PingBinding
import PingDeviceProfile
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate

extension JourneyPlayer {
  /// Ends the journey before anything of the step is done when a part of it cannot be answered.
  func requireAnswers(to step: ContinueNode) throws {
    for callback in step.callbacks where !Self.answers(callback) { throw Self.unanswerable(callback) }
    if step.callbacks.contains(where: { $0 is FidoCallback }), passkeys == nil {
      throw CommandFailure(
        "The journey asks for a WebAuthn key. Use `sealring passkey`, or choose another with --journey.",
        code: .unsupported)
    }
  }

  private static func answers(_ callback: any Callback) -> Bool {
    switch callback {
    case is NameCallback, is ValidatedUsernameCallback, is PasswordCallback, is ValidatedPasswordCallback,
      is TextInputCallback, is TextOutputCallback, is HiddenValueCallback, is PollingWaitCallback,
      is MetadataCallback, is ConfirmationCallback, is ChoiceCallback, is DeviceBindingCallback,
      is DeviceSigningVerifierCallback, is FidoCallback, is DeviceProfileCallback:
      true
    default: false
    }
  }

  static func unanswerable(_ callback: any Callback) -> CommandFailure {
    CommandFailure(
      "The journey asks for \(type(of: callback)), which this command cannot answer; nothing of the step was done. Choose another with --journey.",
      code: .unsupported)
  }
}
