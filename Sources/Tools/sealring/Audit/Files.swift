import ArgumentParser
import Concurrency
import Foundation
internal import PrivateFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears under its name complete and durable, or not at all. Only its owner can read it.
struct AtomicFile: Sendable {
  private let path: String
  private let replaces: Bool
  /// `nil` for standard output, which is written directly.
  private let draft: PrivateFileDraft?

  /// - Parameter hyphenIsOutput: whether `-` means standard output.
  /// - Throws: ``CommandFailure`` when the file exists and must not be replaced, or cannot be created.
  init(path: String, replaces: Bool, hyphenIsOutput: Bool = false) throws {
    self.path = path
    self.replaces = replaces
    guard !hyphenIsOutput || path != "-" else {
      draft = nil
      return
    }
    let file = URL(filePath: path)
    draft = try Self.reporting(path) { () throws(FileStorageError) in
      // An existing file is found before any work is done for it.
      guard replaces || !ProtectedFiles.isThere(file) else { throw .exists(path: path) }
      return try PrivateFileDraft(of: file)
    }
  }

  func write(_ bytes: [UInt8]) throws {
    guard let draft else { return Output.bytes(bytes) }
    try Self.reporting(path) { () throws(FileStorageError) in try draft.append(bytes) }
  }

  /// Gives the file owner, group and mode of the one that it replaces, instead of this user and 0600. Returns `false` when there is none.
  func giveAsBefore() throws -> Bool {
    try Self.reporting(path) { () throws(FileStorageError) in try draft?.giveAsBefore() ?? false }
  }

  /// Makes the content durable, and moves it to the file's name.
  func commit() throws {
    try Self.reporting(path) { () throws(FileStorageError) in try draft?.commit(replacing: replaces) }
  }

  private static func reporting<Result>(
    _ path: String, _ body: () throws(FileStorageError) -> Result
  ) throws -> Result {
    do { return try body() } catch {
      let reason =
        switch error {
        case .exists: "already exists. Choose another name, or replace it with --force."
        case .unwritable(_, let reason), .unprotected(_, let reason), .unreadable(_, let reason):
          "cannot be written: \(printable(reason)). Check folder, space and permissions."
        case .locked: "is being written by another process. Try again."
        }
      throw CommandFailure("\(printable(path)) \(reason)", code: PlainReason.code(of: error))
    }
  }

  /// Writes the last bytes of the file, or all of it, and commits.
  func finish(_ bytes: [UInt8]) throws {
    try write(bytes)
    try commit()
  }

  /// Writes a whole file; without a path, to standard output.
  static func write(_ bytes: [UInt8], to path: String?, replaces: Bool) throws {
    guard let path else { return Output.bytes(bytes) }
    try AtomicFile(path: path, replaces: replaces).finish(bytes)
  }
}

/// Options for writing a file.
struct WriteOptions: ParsableArguments, JSONFlag {
  @Flag(help: "Replace the file when it is there.")
  var force = false

  @Flag(help: "Print what was written as JSON.")
  var json = false
}

/// Reads a file, or standard input, in pieces.
final class InputFile: Sendable {
  private let name: String
  private let descriptor: Int32
  private let isStandardInput: Bool

  private static let pieceCount = 256 << 10

  /// - Parameter path: the path; `-` is standard input.
  init(path: String) throws {
    name = path
    isStandardInput = path == "-"
    descriptor = isStandardInput ? CommandProcess.current.input : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit { if !isStandardInput { close(descriptor) } }

  /// Returns the next bytes; empty at the end.
  func read() throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: Self.pieceCount) { buffer, initialized in
      var count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      while count < 0, errno == EINTR {
        count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      }
      guard count >= 0 else { throw Self.failure(name) }
      initialized = count
    }
  }

  /// Whether ``rewind()`` leads back to the beginning. A pipe gives its bytes once.
  var canRewind: Bool { !isStandardInput && lseek(descriptor, 0, SEEK_CUR) >= 0 }

  /// Makes ``read()`` begin again with the first byte.
  func rewind() throws {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(name) }
  }

  /// The last line of a file, without its line end; at most its last 64 KiB.
  static func lastLine(of path: String) throws -> [UInt8] {
    let file = try InputFile(path: path)
    let window = 64 << 10
    _ = lseek(file.descriptor, -off_t(window), SEEK_END) >= 0 ? 0 : lseek(file.descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    while case let piece = try file.read(), !piece.isEmpty { bytes = (bytes + piece).suffix(window) }
    return bytes.split(separator: UInt8(ascii: "\n")).last.map(Array.init) ?? []
  }

  private static func failure(_ path: String) -> CommandFailure {
    let cause = errno
    return GivenFile.unreadable(
      path, "\(String(cString: strerror(cause))).", code: PlainReason.code(ofSystem: cause))
  }
}

/// A progress line on standard error; shows nothing when that is not a terminal.
final class ProgressLine: Sendable {
  private let isTerminal = Output.isErrorTerminal
  private let shown = Locked(ContinuousClock.Instant?.none)

  /// Replaces the line, at most ten times a second.
  func show(_ text: String) {
    guard isTerminal else { return }
    let now = ContinuousClock.now
    let isDue = shown.withLock { shown in
      if let shown, shown.duration(to: now) < .milliseconds(100) { return false }
      shown = now
      return true
    }
    if isDue { Output.raw("\r\(text)\u{1B}[K") }
  }

  /// Removes the line.
  func clear() {
    let wasShown = shown.withLock { shown in
      defer { shown = nil }
      return shown != nil
    }
    if wasShown { Output.raw("\r\u{1B}[K") }
  }
}
