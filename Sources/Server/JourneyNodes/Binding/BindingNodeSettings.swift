internal import BindingFormats
internal import Foundation
internal import JourneyEngine
internal import SigningTransactions
internal import StrictJSON

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
  /// - Parameter journeyTimeout: what is sent when the node has no limit of its own. The earlier SDK takes 0 for a time that is over.
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
