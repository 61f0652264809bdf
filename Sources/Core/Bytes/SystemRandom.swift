#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Random bytes.
public enum SystemRandom {
  /// `count` bytes of the operating system's cryptographic generator, fit for keys.
  @Sendable public static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      while filled < count {
        let part = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(bytes)[filled..<count].prefix(most))
        guard let start = part.baseAddress, getentropy(start, part.count) == 0 else { break }
        filled += part.count
      }
      // Swift's own generator asks the same source, and ends the program where there is none.
      var generator = SystemRandomNumberGenerator()
      for place in filled..<count { bytes[place] = generator.next() }
      filled = count
    }
  }

  /// Bytes that one call gives (getentropy(3)). Swift's generator makes a system call for eight.
  private static let most = 256

  /// `count` bytes of `generator`, eight at a time.
  package static func bytes(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
    }
    return bytes
  }
}
