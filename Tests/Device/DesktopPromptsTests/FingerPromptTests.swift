#if os(Linux) && DEBUG
  import DeviceKeys
  import Foundation
  import PersonFixtures
  import PersonPrompts
  import Testing
  import UserVerification
  import UserVerificationFprintd

  @testable import DesktopPrompts

  /// With the real fprintd and its virtual reader.
  @Suite(.serialized, .timeLimit(.minutes(1)))
  struct FingerPromptTests {
    private static let pin = PersonAnswer.pin(PIN("294751"))

    /// Shows a finger each time the reader waits for one.
    private struct Reader: BiometricVerifier {
      let service: FingerprintService
      let finger: String?

      func availability() async throws -> BiometricAvailability { try await service.verifier.availability() }
      func enrolment() async throws -> EnrolmentFingerprint { try await service.verifier.enrolment() }
      func verify(reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void) async throws
        -> BiometricVerification
      {
        try await service.verifier.verify(reason: reason) { step in
          progress(step)
          if let finger { try? service.show(finger) }
        }
      }
    }

    private struct PINs: PersonPrompt {
      func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
        question.needsPIN ? pin : .yes
      }
    }

    private func answer(
      _ finger: String?, acts: [String] = [], enrolled: [String] = ["right-index-finger"],
      needsPIN: Bool = false
    ) async throws -> PersonAnswer? {
      var answer: PersonAnswer?
      try await FingerprintService.run(enrolled: enrolled) { fingers async throws in
        try await NotificationService.run(acts, at: fingers.address) { desktop async throws in
          let prompt = FingerPrompt(
            Reader(service: fingers, finger: finger), shownBy: desktop.prompt, pins: PINs())
          answer = await prompt.ask(
            NotificationPromptTests.question(needsPIN: needsPIN),
            until: Date(timeIntervalSinceNow: 30))
          #expect(try fingers.isFree())
        }
      }
      return answer
    }

    @Test func `an enrolled finger is a yes, and does not stand for a PIN`() async throws {
      #expect(try await answer("right-index-finger") == .finger)
      #expect(try await answer("right-index-finger", needsPIN: true) == Self.pin)
    }

    @Test func `another finger is a no`() async throws {
      #expect(try await answer("left-thumb") == .no)
    }

    @Test func `a button refuses, and none agrees`() async throws {
      #expect(try await answer(nil, acts: ["press yes", "press no"]) == .no)
    }

    @Test func `without a finger that is enrolled nobody can say yes`() async throws {
      guard case .nobody = try await answer("right-index-finger", enrolled: []) else {
        Issue.record("somebody agreed")
        return
      }
    }

    @Test func `without a text on the desktop the reader is not listened to`() async throws {
      try await FingerprintService.run { fingers async throws in
        let prompt = FingerPrompt(
          Reader(service: fingers, finger: "right-index-finger"), shownBy: NotificationPrompt([:]),
          pins: PINs())
        guard case .nobody = await prompt.ask(NotificationPromptTests.question(), until: .distantFuture)
        else {
          Issue.record("a finger agreed to what nobody has seen")
          return
        }
      }
    }
  }
#endif
