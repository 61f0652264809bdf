import Crypto
import CryptoExtras
import Testing

@testable import SSHFormats

struct SessionBindingTests {
  private let session = [UInt8](repeating: 9, count: 32)

  private func contents(
    key: [UInt8], algorithm: String, signature: [UInt8], session: [UInt8], forwarding: UInt8 = 0
  ) -> [UInt8] {
    let blob: [SSHField] = [.text(algorithm), .string(signature)]
    let writer: [SSHField] = [
      .string(key), .string(session), .nested(blob), .byte(forwarding),
    ]
    return SSHField.bytes(writer)
  }

  private func ed25519(_ key: Curve25519.Signing.PrivateKey) -> [UInt8] {
    let writer: [SSHField] = [.text("ssh-ed25519"), .string(Array(key.publicKey.rawRepresentation))]
    return SSHField.bytes(writer)
  }

  @Test func `a binding that the host signed is taken`() throws {
    let key = Curve25519.Signing.PrivateKey()
    let signature = Array(try key.signature(for: session))
    for forwarding in [0, 1] as [UInt8] {
      let binding = try SessionBinding(
        verifying: contents(
          key: ed25519(key), algorithm: "ssh-ed25519", signature: signature, session: session,
          forwarding: forwarding))
      #expect(binding.isForwarding == (forwarding == 1))
      #expect(binding.sessionIdentifier == session)
    }
    #expect(throws: SSHFormatError.self) {
      try SessionBinding(
        verifying: contents(
          key: ed25519(key), algorithm: "ssh-ed25519", signature: signature, session: session, forwarding: 2))
    }
  }

  @Test func `another host's key, another session and another algorithm are refused`() throws {
    let key = Curve25519.Signing.PrivateKey()
    let signature = Array(try key.signature(for: session))
    for bad in [
      contents(
        key: ed25519(.init()), algorithm: "ssh-ed25519", signature: signature, session: session),
      contents(
        key: ed25519(key), algorithm: "ssh-ed25519", signature: signature,
        session: [UInt8](repeating: 8, count: 32)),
      contents(key: ed25519(key), algorithm: "ssh-rsa", signature: signature, session: session),
      contents(key: ed25519(key), algorithm: "ssh-ed25519", signature: signature, session: []),
    ] { #expect(throws: SSHFormatError.self) { try SessionBinding(verifying: bad) } }
  }

  @Test func `RSA hosts sign with SHA-2, never with SHA-1`() throws {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let primitives = try key.publicKey.getKeyPrimitives()
    let writer: [SSHField] = [
      .text("ssh-rsa"), .number(Array(primitives.publicExponent)), .number(Array(primitives.modulus)),
    ]
    let blob = SSHField.bytes(writer)
    let sha2 = Array(
      try key.signature(for: SHA512.hash(data: session), padding: .insecurePKCS1v1_5).rawRepresentation)
    let sha1 = Array(
      try key.signature(for: Insecure.SHA1.hash(data: session), padding: .insecurePKCS1v1_5).rawRepresentation
    )
    #expect(
      try SessionBinding(
        verifying: contents(key: blob, algorithm: "rsa-sha2-512", signature: sha2, session: session)
      ).hostKey.type == "ssh-rsa")
    #expect(throws: SSHFormatError.self) {
      try SessionBinding(
        verifying: contents(key: blob, algorithm: "ssh-rsa", signature: sha1, session: session))
    }
  }
}
