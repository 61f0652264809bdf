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

  /// What the enrolled fingers are good for; nothing after too many unknown ones.
  func fingersStanding() async -> SecurityKeyFingers.Standing {
    guard let fingers, unknownInARow < Self.unknownFingers else { return .absent }
    if let known = knownStanding, elapsed() < known.end { return known.standing }
    let standing = await fingers.standing()
    knownStanding = (standing, elapsed() + Self.fingersMemory)
    return standing
  }

  /// Whether the person can be verified by our own question: by the PIN, or a finger.
  func canVerifyHere() async throws -> Bool {
    if try await pin.isSet { return true }
    return await Self.standAlone(fingersStanding())
  }

  /// Without a PIN the fingers count that were there first.
  private static func standAlone(_ standing: SecurityKeyFingers.Standing) -> Bool {
    standing == .trusted || standing == .untrusted
  }

  /// How many wrong PINs, or unknown fingers, the question still takes.
  func verificationTries() async throws -> Int {
    if try await pin.isSet { return try await pinTries() }
    return max(0, Self.unknownFingers - unknownInARow)
  }

  /// A question that verifies the person, with the ways that there are.
  func verifying(_ question: SecurityKeyQuestion) async throws -> SecurityKeyQuestion {
    var question = question
    let standing = await fingersStanding()
    question.needsPIN = try await pin.isSet
    question.finger =
      switch standing {
      case .absent: .none
      case .trusted: .accepted
      case .untrusted, .changed:
        question.needsPIN ? .trustedByPIN : standing == .untrusted ? .accepted : .none
      }
    guard question.needsPIN || question.finger == .accepted else { throw CTAPStatus.operationDenied }
    return question
  }

  /// Asks, and waits for a finger meanwhile where one may answer.
  func answer(to question: SecurityKeyQuestion, until end: Date) async -> Answered {
    let left = Self.unknownFingers - unknownInARow
    guard question.finger == .accepted, left > 0, let fingers else {
      return .person(await prompt.ask(question.shown, until: end))
    }
    let (prompt, reason, trustsFirst) = (prompt, Self.text(question), !question.needsPIN)
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

  /// What a right PIN at our question means for the fingers.
  func trustFingers(after question: SecurityKeyQuestion) async {
    unknownInARow = 0
    knownStanding = nil
    guard question.finger == .trustedByPIN, let fingers else { return }
    do {
      try await fingers.trust()
      log("From now on the fingers that are enrolled count as the PIN does, until others are enrolled.")
    } catch {
      log("The fingers that are enrolled could not be trusted: \(error.localizedDescription)")
    }
  }
}
