extension String {
  /// Whether both are the same characters, not only the same under Unicode normalisation as `==` has it.
  ///
  /// What names an account, a key or a transaction in signed text must be compared like this (RFC 7515
  /// §10.13).
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension String {
  /// This text in quotation marks, with the escapes of a JSON string: one line, fit for a log or a message.
  package var quoted: String { JSONValue.string(self).text }
}
