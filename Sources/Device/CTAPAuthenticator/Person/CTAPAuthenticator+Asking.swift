internal import CTAP
internal import DeviceKeys
internal import Foundation
internal import PersonPrompts
internal import UserVerification

/// The question, and the finger that may answer it.
extension CTAPAuthenticator {
  /// After this many unknown fingers in a row, only the PIN counts until it is entered.
  static let unknownFingers = 3
  /// How long the answer which fingers are enrolled is reused.
  private static let fingersMemory = Duration.seconds(10)

  /// The result of a question.
  enum Answered: Sendable {
    case person(PersonAnswer)
    case finger
  }

  /// The standing of the enrolled fingers, however many unknown ones were shown.
  func fingersStanding() async -> SecurityKeyFingers.Standing {
    guard let fingers else { return .absent }
    if let known = knownStanding, elapsed() < known.end { return known.standing }
    let standing = await fingers.standing()
    knownStanding = (standing, elapsed() + Self.fingersMemory)
    return standing
  }

  /// Whether our own question can verify the person, by the PIN or a finger. Wrong tries do not change this: otherwise three unknown
  /// fingers would turn verification off.
  func canVerifyHere() async throws -> Bool {
    if try await pin.isSet { return true }
    return switch await fingersStanding() {
    // Without a PIN, the fingers that were there first count.
    case .trusted, .untrusted: true
    case .absent, .changed: false
    }
  }

  private var unknownFingersLeft: Int { max(0, Self.unknownFingers - unknownInARow) }

  /// How many wrong PINs or unknown fingers the question still accepts.
  func verificationTries() async throws -> Int {
    guard try await pin.isSet else { return unknownFingersLeft }
    if try await pinBlock() == nil { return try await pinTries() }
    return await fingersStanding() == .trusted ? unknownFingersLeft : 0
  }

  /// How a person may answer a question.
  struct Ways: Sendable {
    var needsPIN = false
    var finger = SecurityKeyQuestion.Finger.none
    /// Whether a finger that the reader recognises makes the enrolled ones trusted, if none are yet.
    var trustsFirst = false
    /// The fingers that become trusted when the PIN is entered: those that were enrolled before the question.
    var trusted: EnrolmentFingerprint?
  }

  /// How a person can be verified now.
  ///
  /// - Throws: The status that says why there is no way.
  func waysToVerify() async throws -> Ways {
    let standing = await fingersStanding()
    guard try await pin.isSet else {
      switch standing {
      case .trusted, .untrusted: break
      case .absent, .changed: throw CTAPStatus.operationDenied
      }
      guard unknownFingersLeft > 0 else { throw CTAPStatus.verificationBlocked }
      return Ways(finger: .accepted, trustsFirst: true)
    }
    let block = try await pinBlock()
    switch standing {
    case .trusted where unknownFingersLeft > 0: return Ways(needsPIN: block == nil, finger: .accepted)
    case .untrusted(let enrolled) where block == nil && unknownFingersLeft > 0,
      .changed(let enrolled) where block == nil && unknownFingersLeft > 0:
      return Ways(needsPIN: true, finger: .trustedByPIN, trusted: enrolled)
    case .absent, .trusted, .untrusted, .changed:
      // Nobody is asked for a PIN that would not be checked.
      if let block { throw block }
      return Ways(needsPIN: true)
    }
  }

  /// Asks the question and, where a finger may answer it, waits for one at the same time.
  func answer(to question: SecurityKeyQuestion, _ ways: Ways, until end: Date) async -> Answered {
    let left = unknownFingersLeft
    guard question.finger == .accepted, left > 0, let fingers else {
      return .person(await prompt.ask(question.shown, until: end))
    }
    let (prompt, reason, trustsFirst) = (prompt, Self.text(question), ways.trustsFirst)
    let progress: @Sendable (BiometricProgress) -> Void = { [log] step in
      if case .tryAgain(let text) = step { log(text) }
    }
    let (answer, unknown) = await withTaskGroup(of: Part.self) { group in
      group.addTask { .person(await prompt.ask(question.shown, until: end)) }
      group.addTask { await Self.wait(for: fingers, reason, tries: left, trustsFirst: trustsFirst, progress) }
      var (answer, unknown): (Answered?, Int) = (nil, 0)
      for await part in group {
        switch part {
        case .person(.yes) where !question.needsPIN: continue  // A yes alone verifies nobody.
        // Overrides a finger, too: it agreed to a question that nobody could see.
        case .person(.nobody(let reason)): answer = .person(.nobody(reason))
        case .person(let said): answer = answer ?? .person(said)
        case .finger(let isKnown, let count):
          unknown = count
          // The PIN is still asked for.
          guard isKnown || !question.needsPIN else { continue }
          answer = answer ?? (isKnown ? .finger : .person(.no))
        }
        group.cancelAll()
      }
      return (answer ?? .person(.no), unknown)
    }
    if case .finger = answer { unknownInARow = 0 } else { unknownInARow += unknown }
    return answer
  }

  private enum Part: Sendable {
    case person(PersonAnswer)
    case finger(isKnown: Bool, unknown: Int)
  }

  private static func wait(
    for fingers: SecurityKeyFingers, _ reason: String, tries: Int, trustsFirst: Bool,
    _ progress: @escaping @Sendable (BiometricProgress) -> Void
  ) async -> Part {
    for unknown in 0..<tries {
      do {
        if try await fingers.verify(reason: reason, trustsFirst: trustsFirst, progress: progress) {
          return .finger(isKnown: true, unknown: unknown)
        }
      } catch {
        // The reader is busy or gone, the fingers have changed, or the question is over.
        return .finger(isKnown: false, unknown: unknown)
      }
    }
    return .finger(isKnown: false, unknown: tries)
  }

  /// Trusts fingers after a right PIN at our question. Only the fingers that the question was about are trusted: somebody else could enrol
  /// one while it is shown.
  func trustFingers(_ ways: Ways) {
    unknownInARow = 0
    knownStanding = nil
    guard let enrolment = ways.trusted, let fingers else { return }
    do {
      try fingers.trust(enrolment)
      log("From now on the fingers that were enrolled count as the PIN does, until others are enrolled.")
    } catch {
      log("The fingers that are enrolled could not be trusted: \(error.localizedDescription)")
    }
  }

  /// Forgets the trusted fingers. After the PIN was set or changed, no finger counts until the PIN is entered at our question.
  func forgetFingers() throws {
    try fingers?.forget()
    knownStanding = nil
  }
}
