package import CEmbeddedFiles

extension EmbeddedFile {
  /// The file's content, copied.
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
