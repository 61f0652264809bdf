internal import PingJourney

/// Asks for a user name.
// Adds no stored property.
public class NameCallback: SingleValueCallback, @unchecked Sendable {
  override func answer(_ value: Any) {
    if let text = value as? String { (posted as? PingJourney.NameCallback)?.name = text }
  }
}

/// Asks for a password.
// Adds no stored property.
public class PasswordCallback: SingleValueCallback, @unchecked Sendable {
  override func answer(_ value: Any) {
    if let text = value as? String { (posted as? PingJourney.PasswordCallback)?.password = text }
  }
}

/// Asks for a text.
// Adds no stored property.
public class TextInputCallback: SingleValueCallback, @unchecked Sendable {
  override func answer(_ value: Any) {
    if let text = value as? String { (posted as? PingJourney.TextInputCallback)?.text = text }
  }
}

/// Asks for one of several choices; the answer is its index.
// Its stored property is immutable.
public class ChoiceCallback: SingleValueCallback, @unchecked Sendable {
  /// The choices, in order.
  public let choices: [String]

  required public init(json: [String: Any]) throws {
    choices = Self.output("choices", of: json) as? [String] ?? []
    try super.init(json: json)
  }

  override func answer(_ value: Any) {
    if let index = value as? Int { (posted as? PingJourney.ChoiceCallback)?.selectedIndex = index }
  }
}
