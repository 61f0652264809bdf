#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Random bytes.
public enum SystemRandom {
  /// `count` bytes from the operating system's cryptographic generator, fit for keys.
  @Sendable public static func bytes(_ count: Int) -> [UInt8] {
    #if canImport(Glibc) || canImport(Musl)
      if let bytes = entropy(count) { return bytes }
    #endif
    // This generator uses the same source, and ends the program when there is none.
    var generator = SystemRandomNumberGenerator()
    return bytes(count, using: &generator)
  }

  #if canImport(Glibc) || canImport(Musl)
    /// `count` bytes from getentropy(3), at most 256 for each system call; Swift's generator makes a call for every eight. `nil` when a
    /// call fails.
    private static func entropy(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      let isFilled = bytes.withUnsafeMutableBytes { bytes in
        stride(from: 0, to: count, by: 256).allSatisfy { start in
          let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<min(start + 256, count)])
          return part.baseAddress.map { getentropy($0, part.count) == 0 } ?? true
        }
      }
      return isFilled ? bytes : nil
    }
  #endif

  /// `count` bytes from `generator`, eight at a time.
  package static func bytes(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
    }
    return bytes
  }
}
