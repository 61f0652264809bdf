internal import Bytes
public import Foundation
internal import PrivateFiles

/// Writes messages into a folder instead of sending them, each to its own file `TIME-ID.eml`, which only the owner can read. It serves
/// development and tests, and systems where another program sends the files.
public struct MailFolder: MailTransport {
  private let directory: URL
  private let clock: @Sendable () -> Date

  /// The number of files that are kept; older ones are removed.
  public static let mostMessages = 1000

  public init(directory: URL, clock: @escaping @Sendable () -> Date = { Date() }) {
    self.directory = directory
    self.clock = clock
  }

  public func send(_ bytes: [UInt8], from: MailAddress, to: MailAddress, id: String) async throws {
    let digits = String(clock().millisecondsSince1970)
    let moment = String(repeating: "0", count: max(0, 14 - digits.count)) + digits
    do {
      try ProtectedFiles.createFolder(directory)
      try ProtectedFiles.create(directory.appending(path: "\(moment)-\(id).eml"), with: bytes)
      let all = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      for name in all.filter({ $0.hasSuffix(".eml") }).sorted().dropLast(Self.mostMessages) {
        try FileManager.default.removeItem(at: directory.appending(path: name))
      }
    } catch {
      throw MailError("the mail folder \(directory.path) cannot be written: \(error)", isTemporary: true)
    }
  }
}
