/// Which passwords may be set, by whichever door (NIST SP 800-63B-4 §3.1.1).
///
/// A least length and a list of passwords that are tried first; no rules about kinds of characters. Spaces and all of
/// Unicode are allowed. What is in use already is not judged again.
public struct PasswordPolicy: Sendable, Hashable {
  /// Least lengths that can be configured. 15 is the section's number where the password is the only factor.
  public static let minimumLengths = 8...64

  /// Longest password in code points; with any characters it fits ``PasswordText/maximumBytes``.
  public static let maximumLength = 256

  /// Fewest code points.
  public let minimumLength: Int

  /// The service's own name, which nobody's password rests on.
  private static let serviceName = "sealring"

  /// Shorter words of a user's name or address are too common in other words to be looked for.
  private static let shortestWord = 3

  /// - Parameter minimumLength: brought into ``minimumLengths``.
  public init(minimumLength: Int = 8) {
    self.minimumLength = min(
      max(minimumLength, Self.minimumLengths.lowerBound), Self.minimumLengths.upperBound)
  }

  /// What is wrong with a password.
  public enum Fault: Sendable, Hashable, CustomStringConvertible {
    case tooShort(minimum: Int)
    case tooLong(maximum: Int)

    /// Characters that Unicode has not assigned, whose normalization may change.
    case unknownCharacters
    case common

    /// It rests on the user's name or address, or on the service's name.
    case personal

    /// One sentence for the person who chose it.
    public var description: String {
      switch self {
      case .tooShort(let minimum): "The password must have at least \(minimum) characters."
      case .tooLong(let maximum): "The password must have at most \(maximum) characters."
      case .unknownCharacters: "The password has characters that are not known here."
      case .common: "The password is one of those that are tried first; choose another."
      case .personal: "The password rests on the user's name or address, or on this service's name."
      }
    }
  }

  /// What is wrong with `password`; nothing when it may be set.
  ///
  /// - Parameter context: the user's name and addresses.
  public func faults(in password: String, context: [String]) -> [Fault] {
    guard let text = PasswordText.normalized(password) else {
      return [password.isEmpty ? .tooShort(minimum: minimumLength) : .tooLong(maximum: Self.maximumLength)]
    }
    var faults: [Fault] = []
    let length = text.unicodeScalars.count
    if length < minimumLength { faults.append(.tooShort(minimum: minimumLength)) }
    if length > Self.maximumLength { faults.append(.tooLong(maximum: Self.maximumLength)) }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .unassigned }) {
      faults.append(.unknownCharacters)
    }
    guard faults.isEmpty else { return faults }
    let folded = text.lowercased()
    if CommonPasswords.has(folded) { return [.common] }
    return restsOnContext(folded, context) ? [.personal] : []
  }

  /// Whether what is left without the context's words would itself be too short or too common.
  private func restsOnContext(_ folded: String, _ context: [String]) -> Bool {
    var rest = folded
    // A name is bounded, and so are the addresses that are looked at.
    for word in Self.words(of: [Self.serviceName] + context.prefix(8)) {
      rest = rest.split(separator: word, omittingEmptySubsequences: true).joined(separator: " ")
    }
    guard rest != folded else { return false }
    rest.removeAll { !$0.isLetter && !$0.isNumber }
    return rest.unicodeScalars.count < Self.minimumLengths.lowerBound || CommonPasswords.has(rest)
  }

  /// The context and its parts in lower case, longest first.
  private static func words(of context: [String]) -> [String] {
    var words: Set<String> = []
    for text in context {
      guard let text = PasswordText.normalized(text)?.lowercased() else { continue }
      words.insert(text)
      words.formUnion(text.split { !$0.isLetter && !$0.isNumber }.prefix(16).map(String.init))
    }
    return words.filter { $0.unicodeScalars.count >= shortestWord }
      .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }
}
