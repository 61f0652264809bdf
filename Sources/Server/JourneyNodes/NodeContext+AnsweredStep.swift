internal import JourneyEngine
internal import JourneyStore

extension NodeContext {
  /// Uses the answered step up by itself, if that is left to the node.
  ///
  /// - Throws: `StepWasUsed` when somebody else was first.
  mutating func useStep(of store: any ServerStore) async throws {
    guard let step = answeredStep else { return }
    guard try await store.consume(step.key, until: step.expiry) else { throw StepWasUsed() }
    answeredStep = nil
  }
}

extension OnceKey {
  /// The step of a journey as a store remembers it.
  init(_ step: AnsweredStep) { self.init(key: step.key, expiry: step.expiry) }
}
