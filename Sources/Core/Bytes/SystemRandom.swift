/// Random bytes of the operating system.
public enum SystemRandom {
  /// `count` bytes, fit for keys.
  @Sendable public static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
