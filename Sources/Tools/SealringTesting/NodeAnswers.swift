package import JourneyDriving
internal import PingJourney
package import PingJourneyPlugin
package import PingOrchestrate

/// Answers a journey that the client modules run.
package protocol NodeAnswers: JourneyAnswers where Page == any Node, Question == ContinueNode {}

extension NodeAnswers {
  package static func question(_ node: any Node) -> ContinueNode? { node as? ContinueNode }
}

extension ContinueNode {
  /// Whether the step waits for another device.
  package var isWaiting: Bool { callbacks.contains { $0 is PollingWaitCallback } }

  /// The hidden value with this id.
  package func hidden(_ id: String) -> String? {
    callbacks.lazy.compactMap { $0 as? HiddenValueCallback }.first { $0.valueId == id }?.value
  }
}

extension JourneyDriver {
  /// Plays a journey that the client modules run; `answer` answers each callback of a step before the step is sent.
  ///
  /// - Returns: The node at which the journey ended or was abandoned.
  package func play(
    from first: any Node, answer: (_ callback: any Callback, _ step: ContinueNode) async throws -> Void
  ) async rethrows -> any Node {
    try await play(from: first, question: { $0 as? ContinueNode }, waits: { _ in false }) { step in
      for callback in step.callbacks { try await answer(callback, step) }
      return await step.next()
    }
  }
}
