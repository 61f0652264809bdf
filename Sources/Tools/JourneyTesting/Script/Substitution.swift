/// Substitutes values for `${name}`.
enum Substitution {
  /// Replaces all known names in `text` once: values are not searched for names. Unknown names stay.
  static func apply(_ values: [String: String], to text: String) -> String {
    guard text.contains("${") else { return text }
    return text.replacing(/\$\{([^}]*)\}/) { values[String($0.output.1)] ?? String($0.output.0) }
  }

  /// The first name in `text` that has no value.
  static func unknown(_ values: [String: String], in text: String) -> String? {
    guard text.contains("${") else { return nil }
    return text.matches(of: /\$\{([^}]*)\}/).map { String($0.output.1) }.first { values[$0] == nil }
  }
}
