import Crypto
import Testing

@testable import JourneyStore

@Suite("Authentication codes of the server key") struct AuthenticationCodeTests {
  private let key = LoadedServerKey(bytes: Array(0..<32), place: "a test")

  /// What was begun for one code must not go on in the next.
  @Test func `each code is the one of its own bytes and purpose, in whatever order they are asked for`() async
  {
    await withTaskGroup { group in
      for round in 0..<64 {
        group.addTask {
          let (bytes, purpose) = ([UInt8](repeating: 7, count: round % 9), "purpose \(round % 3)")
          let expected = HMAC<SHA256>.authenticationCode(for: bytes, using: key.derived(for: purpose))
          #expect(key.authenticationCode(for: bytes, purpose: purpose) == Array(expected))
        }
      }
    }
  }
}
