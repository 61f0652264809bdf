#if os(Linux)
  internal import Concurrency
  package import Foundation
  package import PersonPrompts
  package import UserVerification

  /// Accepts a finger on the reader as a yes, and never a button in its place. A notification says what the finger agrees to, and the
  /// reader is not used before the notification is shown.
  package struct FingerPrompt: PersonPrompt {
    /// How many unrecognised fingers are tolerated.
    static let tries = 3

    private let reader: any BiometricVerifier
    private let notification: NotificationPrompt
    private let pins: any PersonPrompt

    /// - Parameter pins: Asks for PINs.
    package init(
      _ reader: any BiometricVerifier, shownBy notification: NotificationPrompt, pins: any PersonPrompt
    ) {
      (self.reader, self.notification, self.pins) = (reader, notification, pins)
    }

    package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      guard !question.needsPIN else { return await pins.ask(question, until: end) }
      do {
        switch try await reader.availability() {
        case .available: break
        case .noReader(let reason), .notEnrolled(let reason): return .nobody(reason)
        }
      } catch {
        return .no
      }
      let isShown = FirstAnswer<Bool>()
      return await withTaskGroup(of: PersonAnswer?.self) { group in
        group.addTask {
          let answer = await show(question, until: end) { isShown.give(true) }
          isShown.give(false)
          return answer
        }
        group.addTask { await isShown.value ? await scan(question) : nil }
        for await case let answer? in group {
          group.cancelAll()
          return answer
        }
        return .no
      }
    }

    private func show(
      _ question: PersonQuestion, until end: Date, whenShown: @escaping @Sendable () -> Void
    ) async -> PersonAnswer {
      let outcome = await notification.show(
        question, [.no], hint: "Your finger on the reader is a yes.",
        until: end, whenShown: whenShown)
      return switch outcome {
      case .pressed, .over: .no
      case .notShown(let reason): .nobody(reason)
      }
    }

    /// Waits for a finger; `nil` when the task is cancelled, because the question was decided elsewhere.
    private func scan(_ question: PersonQuestion) async -> PersonAnswer? {
      for _ in 0..<Self.tries {
        do {
          _ = try await reader.verify(reason: question.title)
          return .finger
        } catch UserVerificationError.notRecognised {
          continue
        } catch is CancellationError {
          return nil
        } catch {
          return .nobody(error.localizedDescription)
        }
      }
      return .no
    }
  }
#endif
