#if os(Linux)
  import Concurrency
  import Foundation
  import MessageBus
  import PersonFixtures
  import Testing
  import UserVerification

  @testable import UserVerificationFprintd

  /// Against the real fprintd; each test has one of its own.
  @Suite(.serialized, .timeLimit(.minutes(1)))
  struct FprintdVerifierTests {
    /// A verification during which `script` is played: its next step each time the reader waits for a finger.
    private func verify(
      at service: FingerprintService, _ script: [@Sendable () throws -> Void]
    ) async throws -> (BiometricVerification, [BiometricProgress]) {
      let rest = Locked(script)
      let seen = Locked<[BiometricProgress]>([])
      let verification = try await service.verifier.verify(reason: "Pay 5 €") { progress in
        seen.withLock { $0.append(progress) }
        let step = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        do { try step?() } catch { Issue.record(error) }
      }
      return (verification, seen.withLock { $0 })
    }

    @Test func `an enrolled finger verifies`() async throws {
      try await FingerprintService.run { service async throws in
        #expect(try await service.verifier.availability() == .available)
        let (verification, progress) = try await verify(
          at: service, [{ try service.show("right-index-finger") }])
        #expect(try await service.verifier.enrolment() == verification.enrolment)
        #expect(progress == [.waiting("Pay 5 €. Swipe your finger over Virtual device for debugging.")])
        #expect(try service.isFree())
      }
    }

    @Test func `another finger is not recognised`() async throws {
      try await FingerprintService.run { service async throws in
        await #expect(throws: UserVerificationError.notRecognised) {
          try await verify(at: service, [{ try service.show("left-thumb") }])
        }
        #expect(try service.isFree())
        _ = try await verify(at: service, [{ try service.show("right-index-finger") }])
      }
    }

    @Test func `a scan that was too short goes on`() async throws {
      try await FingerprintService.run { service async throws in
        // FP_DEVICE_RETRY_TOO_SHORT, then FP_DEVICE_RETRY_CENTER_FINGER.
        let (_, progress) = try await verify(
          at: service,
          [
            { try service.command("RETRY 1") }, { try service.command("RETRY 2") },
            { try service.show("right-index-finger") },
          ])
        #expect(
          progress.dropFirst() == [
            .tryAgain("That was too short. Swipe again."),
            .tryAgain("The finger was not centred. Try again."),
          ])
      }
    }

    @Test func `cancelling the task releases the reader`() async throws {
      try await FingerprintService.run { service async throws in
        let (waiting, isWaiting) = AsyncStream.makeStream(of: Void.self)
        let task = Task { try await service.verifier.verify(reason: "Sign") { _ in isWaiting.finish() } }
        for await _ in waiting {}
        #expect(try service.isFree() == false)
        await #expect(throws: UserVerificationError.readerBusy) {
          try await service.verifier.verify(reason: "Sign")
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try service.isFree())
      }
    }

    @Test func `a reader that is unplugged is gone`() async throws {
      try await FingerprintService.run { service async throws in
        await #expect(throws: UserVerificationError.readerGone) {
          try await verify(at: service, [{ try service.command("UNPLUG") }])
        }
        // fprintd takes a moment to forget it.
        var availability = try await service.verifier.availability()
        for _ in 1...1000 where availability == .available {
          availability = try await service.verifier.availability()
        }
        // Some releases of fprintd end when their only reader goes.
        guard case .noReader = availability else {
          Issue.record("\(availability)")
          return
        }
      }
    }

    @Test func `a service that ends is gone`() async throws {
      try await FingerprintService.run { service async throws in
        await #expect(throws: UserVerificationError.readerGone) {
          try await verify(at: service, [{ service.killService() }])
        }
      }
    }

    @Test func `without enrolled fingers nobody is asked`() async throws {
      try await FingerprintService.run(enrolled: []) { service async throws in
        guard case .notEnrolled = try await service.verifier.availability() else {
          Issue.record("not told that nothing is enrolled")
          return
        }
        await #expect(throws: UserVerificationError.notEnrolled) {
          try await verify(at: service, [{ Issue.record("asked for a finger") }])
        }
        #expect(try service.isFree())
      }
    }

    @Test func `without fprintd there is no reader`() async throws {
      try await FingerprintService.run(isRunning: false) { service async throws in
        #expect(try await service.verifier.availability() == .noReader("fprintd is not installed"))
        await #expect(throws: UserVerificationError.noReader("fprintd is not installed")) {
          try await service.verifier.verify(reason: "Sign")
        }
      }
    }

    @Test func `without a bus there is no reader`() async throws {
      let verifier = FprintdVerifier(busAddress: "unix:path=/nonexistent/bus")
      guard case .noReader = try await verifier.availability() else {
        Issue.record("a reader without a bus")
        return
      }
    }

    @Test func `who enrols a finger changes the fingerprint`() async throws {
      try await FingerprintService.run { service async throws in
        let before = try await service.verifier.enrolment()
        #expect(try await service.verifier.enrolment() == before)
        try service.enrol("left-thumb")
        let after = try await service.verifier.enrolment()
        #expect(after != before)
        let (verification, _) = try await verify(at: service, [{ try service.show("left-thumb") }])
        #expect(verification.enrolment == after)
      }
    }

    @Test func `who replaces a finger changes the fingerprint of the prints`() async throws {
      try await FingerprintService.run { service async throws in
        let verifier = FprintdVerifier(busAddress: service.address, printsFolder: service.prints)
        let before = try await verifier.enrolment()
        let (bus, device) = try service.client()
        try bus.call(device("Claim"), [""])
        try bus.call(device("DeleteEnrolledFinger"), ["right-index-finger"])
        try bus.call(device("Release"))
        try service.enrol("right-index-finger", as: "left-thumb")
        #expect(try await verifier.enrolment() != before)
      }
    }

    /// Anybody may address a signal to anybody on the system bus.
    @Test func `a match that fprintd did not send does not count`() async throws {
      try await FingerprintService.run { service async throws in
        await #expect(throws: UserVerificationError.notRecognised) {
          try await verify(
            at: service,
            [
              {
                try service.forgeMatch()
                try service.show("left-thumb")
              }
            ])
        }
      }
    }
  }
#endif
