import PingBinding
import PingPush
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM

/// The answer to a request.
enum PushDecision: Sendable, Hashable {
  /// Approves, with the number or code if the request asks for one.
  case approve(String?)
  case deny(reason: String?)
}

extension PushRequest {
  /// Sends the answer.
  ///
  /// - Throws: ``CommandFailure`` when the server or this device refuses it. After a wrong number or code the request stays open.
  func give(_ decision: PushDecision, through client: PushClient) async throws {
    let isAccepted =
      switch (decision, question) {
      case (.approve(let answer?), _):
        try await client.approveChallengeNotification(id, challengeResponse: answer)
      case (.approve, .person):
        try await client.approveBiometricNotification(
          id, authenticationMethod: PersonAtThisMachine.verify(reason: "Approve: \(printable(text))"))
      case (.approve, _): try await client.approveNotification(id)
      case (.deny(let reason?), _): try await client.denyNotification(id, reason: reason)
      case (.deny, _): try await client.denyNotification(id)
      }
    guard isAccepted else {
      throw CommandFailure.conflict(
        "The request was already answered, or has expired. `sealring push list --all` shows its state.")
    }
  }

  /// Reports the answer.
  func report(_ decision: PushDecision, through client: PushClient, json: Bool) async throws {
    guard !json else { return Output.json(try await Self.named(id, of: client).record) }
    let verdict = if case .deny = decision { "Denied" } else { "Approved" }
    Output.line("\(verdict): \(printable(text))")
  }
}

/// Verifies the person at this machine: by fingerprint, or by the user's password where there is no reader.
enum PersonAtThisMachine {
  /// Returns the method that verified the person.
  static func verify(reason: String) async throws -> String {
    #if os(Linux)
      let fingerprint = FprintdVerifier()
      do {
        guard case .available = try await fingerprint.availability() else {
          try await PAMVerifier().verify(reason: reason, source: DefaultCredentialSource())
          return "credential"
        }
        _ = try await fingerprint.verify(reason: reason) { Output.remark($0.text) }
        return "fingerprint"
      } catch let error as UserVerificationError {
        throw CommandFailure.refused(
          "You could not be recognised: \(PlainReason.of(error)) The request is still open.")
      }
    #else
      throw CommandFailure.unsupported(
        "This command cannot recognise a person on this system. Approve such requests in an app that can.")
    #endif
  }
}
