import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name, for a stream of a command.
final class ScratchFile: Sendable {
  let descriptor: Int32

  /// A file with this text, to be read from its beginning.
  init(_ text: String = "") throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "sealring-\(UUID().uuidString)").path
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    unlink(path)
    try handle.write(contentsOf: Data(text.utf8))
    lseek(descriptor, 0, SEEK_SET)
  }

  deinit { close(descriptor) }

  private var handle: FileHandle { FileHandle(fileDescriptor: descriptor, closeOnDealloc: false) }

  /// All of it.
  var text: String {
    get throws {
      try handle.seek(toOffset: 0)
      return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }
  }
}
