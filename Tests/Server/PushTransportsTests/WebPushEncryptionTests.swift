import Bytes
import Crypto
import PushServiceFixtures
import Testing

@testable import PushTransports

@Suite("Encryption for Web Push") struct WebPushEncryptionTests {
  private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  @Test func `the example of RFC 8291, appendix A`() throws {
    let body = try WebPushEncryption.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8),
      to: P256.KeyAgreement.PublicKey(
        x963Representation: bytes(
          "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")),
      secret: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
      sender: P256.KeyAgreement.PrivateKey(
        rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
      salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    #expect(
      Base64URL.encode(body)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
  }

  @Test func `the first example of RFC 8188, §3.1`() throws {
    let body = try WebPushEncryption.record(
      Array("I am the walrus".utf8), key: SymmetricKey(data: bytes("yqdlZ-tYemfogSmv7Ws5PQ")),
      salt: bytes("I1BsxtFttlv3u_Oo94xnmw"), keyID: [])
    #expect(
      Base64URL.encode(body) == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
  }

  @Test(arguments: [0, 1, 3993, 3994])
  func `a message of 3993 bytes makes a body of 4096, and no longer one is taken`(count: Int) throws {
    let subscriber = Subscriber()
    let message = [UInt8](repeating: 7, count: count)
    let encrypt = {
      try WebPushEncryption.encrypt(
        message, to: subscriber.key.publicKey, secret: subscriber.secret,
        sender: P256.KeyAgreement.PrivateKey(), salt: Array(0..<16))
    }
    guard count <= WebPushEncryption.maximumBytes else {
      #expect(throws: PushSendError.self) { try encrypt() }
      return
    }
    let body = try encrypt()
    #expect(body.count == 86 + count + 1 + 16)
    #expect(body.count <= 4096)
    #expect(try subscriber.open(body) == message)
  }
}
