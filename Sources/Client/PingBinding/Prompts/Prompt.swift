/// What a person is told when asked for a PIN or a key.
public struct Prompt: Sendable, Hashable {
  public let title: String
  public let subtitle: String
  public let description: String

  /// How many tries are left after a wrong PIN; `nil` when this is the first one.
  public internal(set) var triesLeft: Int?

  public init(title: String, subtitle: String, description: String) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }
}
