import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SealringTesting

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
    hidden(HiddenValueCallback.enrolmentTimeLeftID)
      .flatMap { Int($0) }.flatMap { (0...86_400).contains($0) ? $0 : nil }
  }

  /// Whether the step asks for a one-time code, or offers to enrol a device that makes codes.
  var wantsCodeOrEnrolment: Bool {
    asksForCode || hidden(HiddenValueCallback.enrolmentID) != nil
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
