internal import Foundation

/// What the detectors examine: this process, and the files of its system.
struct ExaminedSystem: Sendable {
  /// The root folder: `/`, or a test's.
  var root = "/"

  var environment = ProcessInfo.processInfo.environment

  /// Whether this process runs as the administrator, who may read and write everything.
  var isAdministrator = geteuid() == 0

  /// The most that is read of a file, in bytes.
  private static let limit = 1 << 20

  func path(_ path: String) -> String { root == "/" ? path : root + path }

  func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: path(file)) }

  func isReadable(_ file: String) -> Bool { FileManager.default.isReadableFile(atPath: path(file)) }

  func isWritable(_ file: String) -> Bool { FileManager.default.isWritableFile(atPath: path(file)) }

  /// A file's text, 1 MiB at most; empty when it cannot be read.
  func text(_ file: String) -> String {
    guard let handle = FileHandle(forReadingAtPath: path(file)) else { return "" }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: Self.limit)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The target of a symbolic link, as written in the link; `nil` when there is no link.
  func destination(of link: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path(link))
  }

  /// Whether every user of the machine may replace the contents of `file`.
  func isWritableByAll(_ file: String) -> Bool {
    var status = stat()
    guard stat(path(file), &status) == 0 else { return false }
    // In a folder with the sticky bit, only the owners can replace files.
    return status.st_mode & 0o002 != 0 && status.st_mode & 0o1000 == 0
  }
}
