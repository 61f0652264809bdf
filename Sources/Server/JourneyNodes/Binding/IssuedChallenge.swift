internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import SigningTransactions
internal import StrictJSON

/// A challenge that was sent to a device, and when. It stays in the node's notes until the answer comes.
struct IssuedChallenge: Sendable, Hashable {
  let challenge: Challenge
  let issuedAt: Date

  /// A challenge of fresh random bytes, issued now.
  static func random(_ services: NodeServices) -> IssuedChallenge {
    IssuedChallenge(
      challenge: .random(services.randomBytes(Challenge.randomCount)), issuedAt: services.clock())
  }

  private static let sentNote = "sentAt"

  /// The members `challenge` and, for a transaction, `transaction` as the callback has them, and `sentAt` in
  /// milliseconds since 1970.
  var notes: JSONObject {
    var notes: JSONObject = [
      BindingField.challenge: .string(challenge.wire),
      Self.sentNote: .integer(issuedAt.millisecondsSince1970),
    ]
    notes[BindingField.transaction] = challenge.transaction.map { .object($0.json) }
    return notes
  }

  /// The kind of the client's answer, before a proof is verified.
  enum Answer {
    case proof(String)
    case outcome(String)
  }

  /// Reads the answer: a client's own error first, then whether it came too late, then the proof.
  func answer(
    _ reply: CallbackReply, _ settings: BindingNodeSettings, now: Date, in context: inout NodeContext
  ) -> Answer {
    if let error = reply.text(BindingField.clientError), !error.isEmpty {
      if let outcome = settings.clientErrorOutcomes.first(where: error.hasSameBytes(as:)) {
        context.logReason("the device answered \(outcome) instead of a proof")
        return .outcome(outcome)
      }
      context.logReason(
        "the client reported an error that is not an outcome: \(String(error.prefix(64)).quoted)"
      )
      return .outcome("failure")
    }
    if let limit = settings.timeout, now.timeIntervalSince(issuedAt) > TimeInterval(limit) + settings.skew {
      context.logReason("the answer came after the timeout of \(limit) s")
      let timeout = BindingClientError.timeout
      return .outcome(settings.clientErrorOutcomes.contains(timeout) ? timeout : "failure")
    }
    guard let jws = reply.text(BindingField.jws), !jws.isEmpty else {
      context.logReason("the client sent neither a proof nor an error")
      return .outcome("failure")
    }
    return .proof(jws)
  }
}

extension IssuedChallenge {
  /// Reads ``notes``; `nil` when nothing was issued.
  init?(notes: JSONObject) {
    guard let wire = notes[BindingField.challenge]?.stringValue,
      let milliseconds = notes[Self.sentNote]?.integerValue
    else { return nil }
    var offer: OfferedTransaction?
    if let json = notes[BindingField.transaction] {
      // What was offered as a transaction is never taken for anything else.
      guard let object = json.objectValue, let read = OfferedTransaction(json: object) else { return nil }
      offer = read
    }
    guard let challenge = Challenge(wire: wire, offer: offer) else { return nil }
    self.init(challenge: challenge, issuedAt: Date(millisecondsSince1970: milliseconds))
  }
}

/// The properties that the binding and the signing node share: texts, times, accepted applications, and how clients report
/// failure.
struct BindingNodeSettings: Sendable {
  let applicationIDs: [String]

  /// Strings with which a client may say why it did not answer; each is an outcome.
  let clientErrorOutcomes: [String]

  /// Tolerated difference of clocks. Seconds.
  let skew: TimeInterval

  /// Time that the person has, in seconds; `nil` leaves it to the journey.
  let timeout: Int?

  private let title: LocalizedText
  private let subtitle: LocalizedText
  private let description: LocalizedText

  /// - Parameter ownOutcomes: outcomes that no client may choose by a string.
  init(_ definition: NodeDefinition, ownOutcomes: [String]) throws(JourneyFileError) {
    applicationIDs = try definition.strings("applicationIds")
    guard !applicationIDs.isEmpty, !applicationIDs.contains("") else {
      throw definition.wrong("applicationIds", "must list at least one bundle id or package name")
    }
    let errors = try definition.strings(
      "clientErrorOutcomes",
      default: [
        BindingClientError.abort, BindingClientError.unsupported, BindingClientError.timeout,
        BindingClientError.clientNotRegistered,
      ])
    let own = Set(ownOutcomes.map { $0.lowercased() })
    var seen: Set<String> = []
    clientErrorOutcomes = errors.filter { outcome in
      guard !outcome.isEmpty, !own.contains(outcome.lowercased()) else {
        definition.repaired(
          "clientErrorOutcomes", "must not hold \(outcome.quoted): no client may choose that outcome",
          instead: "It is left out.")
        return false
      }
      guard seen.insert(outcome).inserted else {
        definition.repaired(
          "clientErrorOutcomes", "must not hold \(outcome.quoted) twice", instead: "It is taken once.")
        return false
      }
      return true
    }
    skew = TimeInterval(
      try definition.integer(
        "skewAllowance", default: 60, in: 0...Int(DeviceProof.longestSkew), clamping: .down))
    timeout = try definition.timeLimit()
    title = try definition.localized("title", builtIn: "Authentication required")
    subtitle = try definition.localized("subtitle", builtIn: "Cryptography device binding")
    description = try definition.localized(
      "description", builtIn: "Please complete with biometric to proceed")
  }

  /// Outputs from `challenge` to `timeout`, in PingAM's order.
  ///
  /// The lines of a transaction replace the configured description, which clients that do not know transactions show.
  ///
  /// - Parameter journeyTimeout: the seconds sent when the node has no limit of its own, because the earlier SDK takes 0 for an expired
  ///   time.
  func outputs(
    of challenge: Challenge, locales: [String], journeyTimeout: TimeInterval
  ) -> [OutgoingCallback.Field] {
    let lines = challenge.transaction?.transaction.lines.joined(separator: "\n")
    return [
      .init(BindingField.challenge, .string(challenge.wire)),
      .init(BindingField.title, .string(title.text(for: locales))),
      .init(BindingField.subtitle, .string(subtitle.text(for: locales))),
      .init(BindingField.description, .string(lines ?? description.text(for: locales))),
      .init(BindingField.timeout, .integer(Int64(timeout ?? Int(journeyTimeout)))),
    ]
  }
}
