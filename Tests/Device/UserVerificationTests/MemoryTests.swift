import Testing
import UserVerification

struct MemoryTests {
  private let reader = MemoryBiometricVerifier(enrolled: ["right-index-finger"])

  @Test func `an enrolled finger is recognised after an unreadable scan`() async throws {
    reader.happen(.unreadable)
    reader.happen(.finger("right-index-finger"))
    let verification = try await reader.verify(reason: "Sign in")
    #expect(try await reader.enrolment() == verification.enrolment)
    #expect(reader.reasons == ["Sign in"])
  }

  @Test(arguments: [
    (MemoryBiometricVerifier.Event.finger("left-thumb"), UserVerificationError.notRecognised),
    (.unplug, .readerGone),
    (.cancel, .canceled),
  ])
  func `failures`(event: MemoryBiometricVerifier.Event, error: UserVerificationError) async {
    reader.happen(event)
    await #expect(throws: error) { try await reader.verify(reason: "Sign in") }
  }

  @Test func `cancelling the task leaves the reader usable`() async throws {
    let (waiting, isWaiting) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [reader] in
      try await reader.verify(reason: "Sign in") { _ in isWaiting.finish() }
    }
    for await _ in waiting {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    reader.happen(.finger("right-index-finger"))
    _ = try await reader.verify(reason: "Sign in")
  }

  @Test func `availability is about reader and enrolment`() async throws {
    #expect(try await reader.availability() == .available)
    #expect(try await MemoryBiometricVerifier().availability() == .notEnrolled("no finger is enrolled"))
    #expect(
      try await MemoryBiometricVerifier(isConnected: false).availability() == .noReader("none is connected"))
  }

  private static let answers: [(String?, UserVerificationError?)] = [
    ("open sesame", nil),
    ("open barley", .notRecognised),
    (nil, .canceled),
  ]

  @Test(arguments: answers)
  func `password`(answer: String?, expected: UserVerificationError?) async {
    let device = MemoryCredentialVerifier(password: "open sesame")
    var failure: (any Error)?
    do {
      try await device.verify(
        reason: "Sign in", source: FixedCredentialSource(answer.map { CredentialSecret($0) }))
    } catch {
      failure = error
    }
    #expect(failure as? UserVerificationError == expected)
  }
}
