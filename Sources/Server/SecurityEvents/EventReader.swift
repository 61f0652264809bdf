internal import Foundation
public import StrictJSON

/// Reads a file of events and the full files before it, and follows it while it grows.
///
/// Lines that are not events, such as a line cut off by a crash, are counted and skipped.
public struct EventReader: ~Copyable {
  private let path: String
  private var descriptor: Int32 = -1
  private var rest: [UInt8] = []

  /// The number of lines so far that are not JSON objects.
  public private(set) var damagedLines = 0

  /// Longest line that is kept, in bytes.
  private static let longestLine = 256 << 10

  public init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The full files, oldest first, then the current one. One number may be free, during a rotation or after one that a crash ended.
  public static func files(at path: String) -> [String] {
    func isThere(_ number: Int) -> Bool { access("\(path).\(number)", F_OK) == 0 }
    var files = [path]
    var number = 1
    while isThere(number) || isThere(number + 1) {
      if isThere(number) { files.insert("\(path).\(number)", at: 0) }
      number += 1
    }
    return files
  }

  /// Reads all present events, oldest first. `each` receives one event at a time, so that memory use stays small.
  ///
  /// - Throws: ``SecurityEventError`` when the file does not exist or cannot be read.
  public mutating func readAll(_ each: (JSONObject) throws -> Void) throws {
    for file in Self.files(at: path).dropLast() {
      var reader = EventReader(path: file)
      try reader.readNew(each)
      damagedLines += reader.damagedLines
    }
    try readNew(each)
  }

  /// Reads the events appended since the last call. After a rotation it reads the rest of the old file first.
  public mutating func readNew(_ each: (JSONObject) throws -> Void) throws {
    if descriptor < 0 { try openCurrent() }
    try drain(each)
    // During a rotation no file has that name for a moment; the next call finds it.
    guard EventFileDisk.isOpen(descriptor, at: path) == false else { return }
    try drain(each)
    close(descriptor)
    rest = []
    try openCurrent()
    try drain(each)
  }

  private mutating func openCurrent() throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure }
  }

  private mutating func drain(_ each: (JSONObject) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure }
      guard count > 0 else { return }
      rest.append(contentsOf: buffer[..<count])
      try takeLines(each)
    }
  }

  /// The error with the reason of the last system call.
  private var failure: SecurityEventError {
    SecurityEventError("\(path) cannot be read: \(String(cString: strerror(errno))).")
  }

  private mutating func takeLines(_ each: (JSONObject) throws -> Void) throws {
    var start = rest.startIndex
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[start..<end]
      start = end + 1
      guard !line.isEmpty else { continue }
      if let event = (try? JSONValue(parsing: Array(line)))?.objectValue {
        try each(event)
      } else {
        damagedLines += 1
      }
    }
    rest.removeSubrange(..<start)
    if rest.count > Self.longestLine { rest = [] }
  }
}
