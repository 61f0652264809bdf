internal import CTAP
internal import DeviceKeys
internal import Foundation
internal import PersonPrompts
internal import UserVerification

/// The question, and the finger that may answer it.
extension CTAPAuthenticator {
  /// After so many unknown fingers in a row only the PIN counts, until it is entered.
  static let unknownFingers = 3
  /// For so long it is not looked again which fingers are enrolled.
  private static let fingersMemory = Duration.seconds(10)

  /// What came of a question.
  enum Answered: Sendable {
    case person(PersonAnswer)
    case finger
  }

  /// What the enrolled fingers are good for, however many unknown ones there were.
  func fingersStanding() async -> SecurityKeyFingers.Standing {
    guard let fingers else { return .absent }
    if let known = knownStanding, elapsed() < known.end { return known.standing }
    let standing = await fingers.standing()
    knownStanding = (standing, elapsed() + Self.fingersMemory)
    return standing
  }

  /// Whether the person is verified by our own question, by the PIN or a finger. Wrong ones do not change that: else whoever shows three
  /// unknown fingers could do without.
  func canVerifyHere() async throws -> Bool {
    if try await pin.isSet { return true }
    return switch await fingersStanding() {
    // Without a PIN the fingers count that were there first.
    case .trusted, .untrusted: true
    case .absent, .changed: false
    }
  }

  private var unknownFingersLeft: Int { max(0, Self.unknownFingers - unknownInARow) }

  /// How many wrong PINs, or unknown fingers, the question still takes.
  func verificationTries() async throws -> Int {
    guard try await pin.isSet else { return unknownFingersLeft }
    if try await pinBlock() == nil { return try await pinTries() }
    return await fingersStanding() == .trusted ? unknownFingersLeft : 0
  }

  /// How a person may answer a question.
  struct Ways: Sendable {
    var needsPIN = false
    var finger = SecurityKeyQuestion.Finger.none
    /// Whether a finger that is known to the reader is trusted from then on, if none is yet.
    var trustsFirst = false
    /// The fingers that are trusted with the PIN: those that were enrolled before the question.
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
      // Nobody is asked for a PIN that would not be looked at.
      if let block { throw block }
      return Ways(needsPIN: true)
    }
  }

  /// Asks, and waits for a finger meanwhile where one may answer.
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
        // Also after a finger: it agreed to what nobody could see.
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

  /// What a right PIN at our question means for the fingers. Only those are trusted that the question was about: somebody else could enrol
  /// one while it is there.
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

  /// With another PIN, or the first one, no finger counts before it was entered at our question.
  func forgetFingers() throws {
    try fingers?.forget()
    knownStanding = nil
  }
}
