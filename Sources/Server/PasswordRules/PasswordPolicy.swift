/// The rules for new passwords, however they are set (NIST SP 800-63B-4 §3.1.1).
///
/// The rules are a minimum length and a list of common passwords. Kinds of characters do not matter: spaces and all of Unicode are
/// allowed. Passwords in use are not checked again.
public struct PasswordPolicy: Sendable, Hashable {
  /// The range of minimum lengths that can be configured. NIST requires 15 where the password is the only factor.
  public static let minimumLengths = 8...64

  /// Longest password in code points; any such password fits ``PasswordText/maximumBytes``.
  public static let maximumLength = 256

  /// Fewest code points.
  public let minimumLength: Int

  /// The service's own name; passwords based on it are refused.
  private static let serviceName = "sealring"

  /// The shortest word of a user's name or address that counts; shorter ones occur in too many other words.
  private static let shortestWord = 3

  /// - Parameter minimumLength: clamped to ``minimumLengths``.
  public init(minimumLength: Int = 8) {
    self.minimumLength = min(
      max(minimumLength, Self.minimumLengths.lowerBound), Self.minimumLengths.upperBound)
  }

  /// What is wrong with a password.
  public enum Fault: Sendable, Hashable, CustomStringConvertible {
    case tooShort(minimum: Int)
    case tooLong(maximum: Int)

    /// Code points that Unicode has not assigned; their normalization may change.
    case unknownCharacters
    case common

    /// It is based on the user's name or address, or on the service's name.
    case personal

    /// One sentence for the user who chose the password.
    public var description: String {
      switch self {
      case .tooShort(let minimum): "The password must have at least \(minimum) characters."
      case .tooLong(let maximum): "The password must have at most \(maximum) characters."
      case .unknownCharacters: "The password contains characters that Unicode has not assigned."
      case .common: "The password is too common; choose another."
      case .personal: "The password is based on the user's name or address, or on this service's name."
      }
    }
  }

  /// The faults of `password`; empty when it may be set.
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

  /// Whether the rest without the context's words would itself be too short or too common.
  private func restsOnContext(_ folded: String, _ context: [String]) -> Bool {
    var rest = folded
    // The length of the name and the number of addresses are bounded.
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
