/// The rules for user names, wherever one is given: every account that can be created can sign in.
package enum LoginName {
  /// Characters with a meaning of their own in distinguished names (RFC 4514 §2.4) or in paths; a name with one would
  /// break the universal id.
  package static let forbidden: [Unicode.Scalar] = [",", "=", "+", "<", ">", "#", ";", "\\", "\"", "/"]

  /// Longest name in code points.
  package static let maximumLength = 255

  /// Whether a text that somebody signs in with has a possible length. Failures are counted per name, so even unknown names are stored.
  package static func isPossible(_ name: String) -> Bool {
    // A code point has at most four bytes, and their number is known without counting.
    !name.isEmpty && name.utf8.count <= 4 * maximumLength && name.unicodeScalars.count <= maximumLength
  }

  /// Why `name` cannot be the login name of a new account; `nil` when it can.
  ///
  /// Besides what ``faultInAddress(_:)`` refuses, a new name has no invisible characters and no marks that turn the direction of writing:
  /// with these, one account could look like another.
  package static func fault(in name: String) -> String? {
    if let fault = faultInAddress(name) { return fault }
    return name.unicodeScalars.contains(where: isUnseen)
      ? "A user name must not contain invisible characters, or spaces other than plain ones." : nil
  }

  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value > 0x7E else { return false }
    // Zero-width ones, fillers, variation selectors, marks of direction, tags.
    if scalar.properties.isDefaultIgnorableCodePoint { return true }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse: true
    default: false
    }
  }

  /// Why no account, new or old, can have `name`; `nil` when one can.
  package static func faultInAddress(_ name: String) -> String? {
    guard isPossible(name) else { return "A user name has 1 to \(maximumLength) characters." }
    if name.unicodeScalars.contains(where: {
      forbidden.contains($0) || $0.properties.generalCategory == .control
    }) {
      return #"A user name must not contain control characters or any of , = + < > # ; \ " /."#
    }
    if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
      return "A user name begins and ends with a visible character."
    }
    return name == "." || name == ".." ? "A user name must not be \".\" or \"..\"." : nil
  }
}
