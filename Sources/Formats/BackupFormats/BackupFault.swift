/// Why a backup cannot be written or read.
package struct BackupFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault.
  package enum Code: Sendable, Hashable {
    /// The bytes are not a backup, or are one of a version that this program does not know.
    case format
    /// A key's text is not a key, or the key is not the one that the backup was encrypted to.
    case key
    /// The backup was cut, changed, or put together from others.
    case damaged
    /// Something exceeds what a backup may hold.
    case tooLarge
  }

  package let code: Code

  /// What is wrong, without a full stop.
  package let reason: String

  package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

  package var description: String { reason }
}
