import KeyAttestation
import SwiftASN1
import Testing
import X509

@Suite("Configured roots")
struct TrustAnchorsTests {
  @Test func `roots are read from DER and from PEM with several certificates`() async throws {
    let (one, two) = (try Authority.root("One"), try Authority.root("Two"))
    let pem =
      try one.certificate.serializeAsPEM().pemString + "\n" + two.certificate.serializeAsPEM().pemString
    #expect(try TrustAnchors([Array(pem.utf8)]) == TrustAnchors([one.der, two.der]))
    #expect(TrustAnchors().isEmpty)
    #expect(AttestationVerifier.Configuration().trustsNothing)
  }

  @Test(arguments: [
    [], Array("hello".utf8), [0x30, 0x03, 1, 2], Array("-----BEGIN CERTIFICATE-----\n".utf8),
  ])
  func `what is not a certificate is refused with its place`(_ bytes: [UInt8]) throws {
    let good = try Authority.root("One").der
    let error = try #require(throws: TrustAnchorError.self) { try TrustAnchors([good, bytes]) }
    #expect(error.index == 1)
    #expect(error.description.contains("Root certificate 2"))
  }
}
