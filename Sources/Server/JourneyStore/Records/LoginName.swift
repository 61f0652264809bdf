/// The rules for user names, wherever one is given: every account that can be created can sign in.
package enum LoginName {
  /// Characters with a meaning of their own in distinguished names (RFC 4514 §2.4) or in paths; a name with one would
  /// break the universal id.
  package static let forbidden: [Unicode.Scalar] = [",", "=", "+", "<", ">", "#", ";", "\\", "\"", "/"]

  /// Longest name in code points.
  package static let maximumLength = 255

  /// Whether a text that somebody signs in with has the length of a name. Failures are counted per name, so names are
  /// stored unseen.
  package static func isPossible(_ name: String) -> Bool {
    // Four bytes a code point; this one is known without counting.
    !name.isEmpty && name.utf8.count <= 4 * maximumLength && name.unicodeScalars.count <= maximumLength
  }

  /// Why `name` cannot be a login name; `nil` when it can.
  package static func fault(in name: String) -> String? {
    guard isPossible(name) else { return "A user name has 1 to \(maximumLength) characters." }
    if name.unicodeScalars.contains(where: {
      forbidden.contains($0) || $0.properties.generalCategory == .control
    }) {
      return #"A user name has no control characters and none of , = + < > # ; \ " /."#
    }
    if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
      return "A user name begins and ends with a visible character."
    }
    return name == "." || name == ".." ? "A user name is not a path." : nil
  }
}
