import Testing

@testable import PingPush

/// `pushauth://` and `mfauth://` through the client's types (reference push §1).
struct EnrolmentAddressTests {
  @Test func `an address that is illustrative in the guide is refused`() async {
    await #expect(throws: PushError.self) {
      try await PushCredential.fromUri(
        "pushauth://push/issuer:user@example.com?key=ABCDEFGHIJK&c=https://example.com/push")
    }
  }
}
