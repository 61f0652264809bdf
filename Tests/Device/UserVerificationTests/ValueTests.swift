import Foundation
import Testing
import UserVerification

struct ValueTests {
  @Test func `enrolment fingerprints tell sets apart`() {
    let digest = EnrolmentFingerprint(digesting: [[1], [2]])
    #expect(digest == EnrolmentFingerprint(digesting: [[1], [2]]))
    #expect(digest != EnrolmentFingerprint(digesting: [[1, 2]]))
    #expect(digest != EnrolmentFingerprint(digesting: [[1]]))
    #expect(digest.bytes.count == 32)
  }

  @Test func `enrolment fingerprints survive storage`() throws {
    let digest = EnrolmentFingerprint(digesting: [[1]])
    let stored = try JSONEncoder().encode([digest])
    #expect(try JSONDecoder().decode([EnrolmentFingerprint].self, from: stored) == [digest])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([EnrolmentFingerprint].self, from: Data(#"["AAAA"]"#.utf8))
    }
  }

  @Test func `secrets are never printed`() {
    let secret = CredentialSecret("open sesame")
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("sesame")) }
    #expect(secret.withBytes { Array($0) } == Array("open sesame".utf8))
  }

  @Test(arguments: [
    UserVerificationError.canceled, .notRecognised, .lockedOut("3 failures"), .readerGone, .readerBusy,
    .noReader("none is connected"), .notEnrolled, .unavailable("no polkit"),
  ])
  func `errors say what failed and what to do`(error: UserVerificationError) throws {
    #expect(try #require(error.errorDescription).hasSuffix("."))
    #expect(try #require(error.recoverySuggestion).hasSuffix("."))
  }
}
