internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeContext {
  /// Uses the answered step up in a write of its own, if that is left to the node.
  ///
  /// - Throws: `StepWasUsed` when another request was first.
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

extension NodeContext {
  /// Keeps `value` as the notes of the question that the node asks now.
  mutating func keep(_ value: some Encodable) throws {
    notes = try StoredJSON.json(of: value).objectValue ?? JSONObject()
  }

  /// What the node kept when it asked; `nil` when it kept nothing, or something else.
  func kept<Value: Decodable>() -> Value? { StoredJSON.value(from: .object(notes)) }
}

extension JourneyState {
  /// Takes a variable out of every part of the state.
  mutating func forget(_ name: String) {
    shared[name] = nil
    secure[name] = nil
    transient[name] = nil
  }
}

/// Why a node could not do its work: a mistake in the journey, not by the user.
struct NodeError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension NodeContext {
  /// The user named so far.
  ///
  /// - Throws: when an earlier node should have named one.
  func requiredUsername() throws(NodeError) -> String {
    guard let username = state.username else {
      throw NodeError(
        "the journey has not identified a user; put a node before this one that sets `username`")
    }
    return username
  }
}
