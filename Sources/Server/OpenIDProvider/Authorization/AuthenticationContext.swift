internal import StrictJSON

/// The meaning of an `acr` value: the journey by which people reach it, and the lowest level of a session that satisfies it.
package struct AuthenticationContext: Sendable, Hashable {
  /// The journey that people are sent to.
  package var journey: String

  /// The lowest authentication level that satisfies the value, 1 or more, whichever journey gave it. `nil` requires a session of
  /// ``journey`` itself, at the level that the journey promises.
  package var level: Int?

  /// The levels that a context can ask for.
  static let levels: ClosedRange<Int64> = 1...1000
}

extension AuthenticationContext {
  /// - Parameter json: a journey's name, or `{"journey": NAME, "level": NUMBER}`. `nil` for anything else.
  init?(json: JSONValue) {
    if let name = json.stringValue {
      self.init(journey: name)
      return
    }
    guard let object = json.objectValue, object.names.allSatisfy({ ["journey", "level"].contains($0) }),
      let journey = object["journey"]?.stringValue
    else { return nil }
    let level = object["level"]?.integerValue
    guard object["level"] == nil || level.map(Self.levels.contains) == true else { return nil }
    self.init(journey: journey, level: level.map { Int($0) })
  }
}
