package import Foundation

extension URL {
  /// The content of a file that an operator names. Unlike a file of ``ProtectedFiles``, it may be a link and may belong to anyone.
  ///
  /// - Throws: the system's error, or an error for more than `limit` bytes; ``FileReason`` has a text for both.
  package func bytes(atMost limit: Int) throws -> [UInt8] {
    let handle = try FileHandle(forReadingFrom: self)
    defer { try? handle.close() }
    let data = try handle.read(upToCount: limit + 1) ?? Data()
    guard data.count <= limit else { throw FileTooLong(limit: limit) }
    return Array(data)
  }
}

/// A file is longer than the limit for its kind.
package struct FileTooLong: LocalizedError {
  let limit: Int

  package var errorDescription: String? { "It is longer than \(limit) bytes." }
}
