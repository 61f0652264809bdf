import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate

extension HiddenValueCallback {
  /// The id of the hidden value that carries an enrolment URI.
  static let enrolmentID = "mfaDeviceRegistration"

  /// The id of the hidden value with the seconds left for the enrolment; only Sealring's servers send it.
  static let enrolmentTimeLeftID = "mfaDeviceRegistrationSecondsLeft"
}

extension NameCallback {
  /// The prompt for a one-time code of PingAM's nodes.
  static let oneTimeCodePrompt = "Enter verification code"
}

extension ContinueNode {
  /// The seconds left for the enrolment of this step; `nil` when there is none, or the server does not report it.
  var enrolmentTimeLeft: Int? {
    callbacks.lazy.compactMap { $0 as? HiddenValueCallback }
      .first { $0.valueId == HiddenValueCallback.enrolmentTimeLeftID }
      .flatMap { Int($0.value) }.flatMap { (0...86_400).contains($0) ? $0 : nil }
  }

  /// Whether the step asks for a one-time code, or offers to enrol a device that makes codes.
  var wantsCodeOrEnrolment: Bool {
    asksForCode
      || callbacks.contains { ($0 as? HiddenValueCallback)?.valueId == HiddenValueCallback.enrolmentID }
  }

  /// Whether the step asks for a one-time code.
  var asksForCode: Bool {
    callbacks.contains { ($0 as? NameCallback)?.prompt == NameCallback.oneTimeCodePrompt }
  }
}

extension ErrorNode {
  /// Whether the server refused, rather than a timeout or an error.
  var isRefusal: Bool {
    switch reason {
    case .sessionTimedOut, .requestTimedOut, .suspensionExpired: false
    default: status == 401
    }
  }
}

extension SuccessNode {
  /// The number of the signature in the server's ledger; only Sealring's server sends it.
  var evidence: Int64? {
    (input["evidence"] as? NSNumber)?.int64Value ?? (input["evidence"] as? Int).map(Int64.init)
  }
}

extension Workflow {
  /// The server's address for messages.
  var address: String { (config as? JourneyConfig)?.serverUrl ?? "the server" }
}
