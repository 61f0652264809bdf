/// Why a backup cannot be written or read.
package struct BackupFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault; further codes may come.
  package struct Code: Sendable, Hashable {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// The bytes are not a backup, or are one of a version that this program does not know.
    package static let format = Code("format")
    /// A key's text is not a key, or the key is not the one that the backup was encrypted to.
    package static let key = Code("key")
    /// The backup was cut, changed, or put together from others.
    package static let damaged = Code("damaged")
    /// Something exceeds what a backup may hold.
    package static let tooLarge = Code("tooLarge")
  }

  package let code: Code

  /// What is wrong, without a full stop.
  package let reason: String

  package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

  package var description: String { reason }
}
