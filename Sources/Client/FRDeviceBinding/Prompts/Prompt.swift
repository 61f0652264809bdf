internal import PingBinding

/// What a person is told, in place of the server's texts.
public struct Prompt: Sendable, Hashable {
  public let title: String
  public let subtitle: String
  public let description: String

  public init(title: String, subtitle: String, description: String) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }

  init(_ prompt: PingBinding.Prompt) {
    self.init(title: prompt.title, subtitle: prompt.subtitle, description: prompt.description)
  }
}
