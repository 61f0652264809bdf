/// Random bytes.
public enum SystemRandom {
  /// `count` bytes of the operating system's cryptographic generator, fit for keys.
  @Sendable public static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return bytes(count, using: &generator)
  }

  /// `count` bytes of `generator`, eight at a time, because on Linux each question to the system's is a system call.
  package static func bytes(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
    }
    return bytes
  }
}
