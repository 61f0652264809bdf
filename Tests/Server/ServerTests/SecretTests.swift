import Testing

@testable import ServerHTTP

@Suite("Secrets in settings") struct SecretTests {
  @Test func `a secret shows itself to nobody`() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("hunter2"))
    #expect(secret.reveal() == "hunter2")
  }
}
