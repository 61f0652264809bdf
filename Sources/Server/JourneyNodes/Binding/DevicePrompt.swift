internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// What the binding and the signing node have in common: texts, times, whom they accept, and how clients report failure.
struct DevicePrompt: Sendable {
  let applicationIDs: [String]

  /// Strings with which a client may say why it did not answer; each is an outcome.
  let clientErrorOutcomes: [String]

  /// Tolerated difference of clocks. Seconds.
  let skew: TimeInterval

  /// Given to the person. Seconds.
  let timeout: Int

  private let title: LocalizedText
  private let subtitle: LocalizedText
  private let description: LocalizedText

  static let challengeCount = 32

  /// Largest ``skew`` that a node may be given. Seconds.
  static let longestSkew: TimeInterval = 3600

  /// - Parameter ownOutcomes: outcomes that no client may choose by a string.
  init(_ definition: NodeDefinition, ownOutcomes: [String]) throws(JourneyFileError) {
    applicationIDs = try definition.strings("applicationIds")
    guard !applicationIDs.isEmpty, !applicationIDs.contains("") else {
      throw definition.wrong("applicationIds", "must list at least one bundle id or package name")
    }
    clientErrorOutcomes = try definition.strings(
      "clientErrorOutcomes", default: ["Abort", "Unsupported", "Timeout", "ClientNotRegistered"])
    let own = Set(ownOutcomes.map { $0.lowercased() })
    for outcome in clientErrorOutcomes where outcome.isEmpty || own.contains(outcome.lowercased()) {
      throw definition.wrong(
        "clientErrorOutcomes",
        "must not hold \(JSONValue.string(outcome).text): no client may choose that outcome")
    }
    guard Set(clientErrorOutcomes).count == clientErrorOutcomes.count else {
      throw definition.wrong("clientErrorOutcomes", "must not hold a text twice")
    }
    skew = TimeInterval(try definition.integer("skewAllowance", default: 60, in: 0...Int(Self.longestSkew)))
    timeout = try definition.integer("timeout", default: 60, in: 1...3600)
    title = try definition.localized("title", builtIn: "Authentication required")
    subtitle = try definition.localized("subtitle", builtIn: "Cryptography device binding")
    description = try definition.localized(
      "description", builtIn: "Please complete with biometric to proceed")
  }

  /// Outputs from `challenge` to `timeout`, in PingAM's order.
  ///
  /// - Parameter text: takes the place of the configured description.
  func outputs(challenge: String, text: String? = nil, locales: [String]) -> [OutgoingCallback.Field] {
    [
      .init("challenge", .string(challenge)), .init("title", .string(title.text(for: locales))),
      .init("subtitle", .string(subtitle.text(for: locales))),
      .init("description", .string(text ?? description.text(for: locales))),
      .init("timeout", .integer(Int64(timeout))),
    ]
  }

  /// What the client's answer is, before any proof is looked at.
  enum Answer {
    case proof(String)
    case outcome(String)
  }

  /// Reads the answer: a client's own error first, then whether it came too late, then the proof.
  func answer(
    _ reply: CallbackReply, to visit: DeviceVisit, now: Date, _ context: inout NodeContext
  ) -> Answer {
    if let error = reply.text("clientError"), !error.isEmpty {
      if let outcome = clientErrorOutcomes.first(where: error.hasSameBytes(as:)) {
        context.remark("the device answered \(outcome) and no proof")
        return .outcome(outcome)
      }
      context.remark(
        "the client reported an error that is no outcome: \(JSONValue.string(String(error.prefix(64))).text)")
      return .outcome("failure")
    }
    guard now.timeIntervalSince(visit.issuedAt) <= TimeInterval(timeout) + skew else {
      context.remark("the answer came after the timeout of \(timeout) s")
      return .outcome(clientErrorOutcomes.contains("Timeout") ? "Timeout" : "failure")
    }
    guard let jws = reply.text("jws"), !jws.isEmpty else {
      context.remark("the client sent neither a proof nor an error")
      return .outcome("failure")
    }
    return .proof(jws)
  }
}

/// One question to a device: its challenge and when it was asked. Lives in the node's notes.
struct DeviceVisit: Sendable, Hashable {
  var challenge: String
  var issuedAt: Date

  init(challenge: String, issuedAt: Date) {
    self.challenge = challenge
    self.issuedAt = issuedAt
  }

  /// A visit with a challenge of fresh random bytes, in standard Base64.
  init(services: NodeServices) {
    self.init(
      challenge: Data(services.randomBytes(DevicePrompt.challengeCount)).base64EncodedString(),
      issuedAt: services.clock())
  }

  init?(notes: JSONObject) {
    guard let challenge = notes["challenge"]?.stringValue, let milliseconds = notes["issuedAt"]?.integerValue
    else {
      return nil
    }
    self.init(challenge: challenge, issuedAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
  }

  var notes: JSONObject {
    [
      "challenge": .string(challenge),
      "issuedAt": .integer(Int64((issuedAt.timeIntervalSince1970 * 1000).rounded())),
    ]
  }
}
