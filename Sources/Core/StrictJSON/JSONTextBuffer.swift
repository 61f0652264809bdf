/// Collects a text in a small buffer, which is usually enough. An array would check at each byte whether it is shared and has room.
struct JSONTextBuffer {
  private let memory: UnsafeMutableBufferPointer<UInt8>

  /// How much of ``memory`` is in use.
  private var count = 0

  /// The earlier bytes, moved here when the buffer was full.
  private var before: [UInt8] = []

  /// Passes the bytes that `write` appends to `read`.
  static func withText<Result>(
    _ write: (inout JSONTextBuffer) -> Void, read: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { memory in
      var buffer = JSONTextBuffer(memory: memory)
      write(&buffer)
      if buffer.before.isEmpty { return read(buffer.collected) }
      buffer.empty()
      return buffer.before.withUnsafeBufferPointer(read)
    }
  }

  private init(memory: UnsafeMutableBufferPointer<UInt8>) { self.memory = memory }

  private var collected: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: memory[..<count]) }

  private mutating func empty() {
    before.append(contentsOf: collected)
    count = 0
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == memory.count { empty() }
    memory[count] = byte
    count += 1
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.count > memory.count - count { empty() }
    guard bytes.count <= memory.count else {
      before.append(contentsOf: bytes)
      return
    }
    _ = memory[count...].update(fromContentsOf: bytes)
    count += bytes.count
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }
}
