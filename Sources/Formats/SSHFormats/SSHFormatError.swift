/// Why bytes are not the SSH structure that they should be.
package struct SSHFormatError: Error, Hashable, CustomStringConvertible {
  /// What is wrong, as a sentence.
  package let description: String

  package init(_ description: String) { self.description = description }

  /// A length names more bytes than there are.
  static let truncated = SSHFormatError("The bytes end before the value does.")
  /// Something follows the last value.
  static let leftOver = SSHFormatError("Bytes follow the last value.")
}
