internal import Foundation
public import StrictJSON

/// Reads a file of events and the full files before it, and follows it while it grows.
///
/// Lines that are not events, such as a line cut off by a crash, are counted and skipped.
public struct EventReader: ~Copyable {
  private let path: String
  private var file: FileHandle?
  private var rest: [UInt8] = []

  /// The number of lines so far that are not JSON objects.
  public private(set) var damagedLines = 0

  /// Longest line that is kept, in bytes.
  private static let longestLine = 256 << 10

  public init(path: String) { self.path = path }

  /// Reads all present events, oldest first. `each` receives one event at a time, so that memory use stays small.
  ///
  /// - Throws: ``SecurityEventError`` when no file exists or one cannot be read.
  public mutating func readAll(_ each: (JSONObject) throws -> Void) throws {
    // All are open before the first is read: reading takes long enough for rotations.
    let opened = try EventFiles.open(at: path)
    guard !opened.isEmpty else {
      throw SecurityEventError("\(path) cannot be read: \(String(cString: strerror(ENOENT))).")
    }
    try read(opened[...], each)
    try readNew(each)
  }

  /// Reads the events appended since the last call. After a rotation it reads the rest of the old file first.
  public mutating func readNew(_ each: (JSONObject) throws -> Void) throws {
    guard let file else { return try readAll(each) }
    try drain(file, each)
    // During a rotation no file has that name for a moment; the next call finds it.
    guard EventFileDisk.isOpen(file.fileDescriptor, at: path) == false else { return }
    try drain(file, each)
    let opened = try EventFiles.open(at: path)
    // A file that was moved elsewhere tells nothing about which of the others are new, except the current one.
    let newer = opened.firstIndex { EventFiles.isSame($0.file, file) } ?? min(1, opened.count)
    try read(opened[..<newer], each)
  }

  /// Reads files, of which the newest comes first, and stays in the newest.
  private mutating func read(
    _ files: ArraySlice<(number: Int, file: FileHandle)>, _ each: (JSONObject) throws -> Void
  ) throws {
    for (_, next) in files.reversed() {
      file = next
      rest = []
      try drain(next, each)
    }
  }

  private mutating func drain(_ file: FileHandle, _ each: (JSONObject) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Foundation.read(file.fileDescriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw EventFiles.unreadable(path) }
      guard count > 0 else { return }
      rest.append(contentsOf: buffer[..<count])
      try takeLines(each)
    }
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
