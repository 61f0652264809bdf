internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeContext {
  /// Keeps `value` as the notes of the question that the node asks now.
  mutating func keep(_ value: some Encodable) throws {
    notes = try StoredJSON.json(of: value).objectValue ?? JSONObject()
  }

  /// What the node kept when it asked; `nil` when that is something else, or nothing.
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
