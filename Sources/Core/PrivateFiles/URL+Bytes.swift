package import Foundation

extension URL {
  /// The content of a file that an operator names: links are followed, and it may be anyone's, unlike a file of ``ProtectedFiles``.
  ///
  /// - Throws: what the system says, or an error for more than `limit` bytes; ``FileReason`` has the words for both.
  package func bytes(atMost limit: Int) throws -> [UInt8] {
    let handle = try FileHandle(forReadingFrom: self)
    defer { try? handle.close() }
    let data = try handle.read(upToCount: limit + 1) ?? Data()
    guard data.count <= limit else { throw FileTooLong(limit: limit) }
    return Array(data)
  }
}

/// A file has more bytes than are read of its kind.
package struct FileTooLong: LocalizedError {
  let limit: Int

  package var errorDescription: String? { "It is longer than \(limit) bytes." }
}
