#if os(Linux)
  import Concurrency
  import Foundation
  import PersonFixtures
  import Testing
  import UserVerification

  @testable import UserVerificationPAM

  struct PAMVerifierTests {
    @Test func `the right password verifies`() async throws {
      try await PAMFixture.run { fixture in
        let source = RecordingSource("right")
        try await fixture.verifier().verify(reason: "Pay 5 €", source: source)
        #expect(source.questions.map(\.reason) == ["Pay 5 €"])
        #expect(source.questions.map(\.echoes) == [false])
      }
    }

    @Test(arguments: [
      ("person", "wrong"), ("person", ""), ("person", "right\0"),
      ("person", String(repeating: "x", count: 512)),
      ("nobody-here", "right"),
    ])
    func `nothing else is recognised`(user: String, password: String) async throws {
      try await PAMFixture.run { fixture in
        await #expect(throws: UserVerificationError.notRecognised) {
          try await fixture.verifier(user: user).verify(reason: "Sign", source: RecordingSource(password))
        }
      }
    }

    @Test func `a person who does not answer cancels`() async throws {
      try await PAMFixture.run { fixture in
        await #expect(throws: UserVerificationError.canceled) {
          try await fixture.verifier().verify(reason: "Sign", source: RecordingSource(nil))
        }
      }
    }

    @Test(.timeLimit(.minutes(1))) func `cancelling the task takes the question away`() async throws {
      /// A person who never answers, and notices when the question goes.
      struct Silence: CredentialSource {
        let asked: AsyncStream<Void>.Continuation
        let gone: AsyncStream<Void>.Continuation

        func answer(to question: CredentialQuestion) async -> CredentialSecret? {
          asked.finish()
          try? await Task.sleep(for: .seconds(3600))
          gone.finish()
          return CredentialSecret("right")
        }
      }
      try await PAMFixture.run { fixture in
        let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
        let (isGone, gone) = AsyncStream.makeStream(of: Void.self)
        let verifier = fixture.verifier()
        let task = Task {
          try await verifier.verify(reason: "Sign", source: Silence(asked: asked, gone: gone))
        }
        for await _ in isAsked {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in isGone {}
        try await verifier.verify(reason: "Sign", source: RecordingSource("right"))
      }
    }

    @Test(arguments: [
      ("auth=maxtries", "lockedOut"), ("auth=perm_denied", "lockedOut"), ("acct=perm_denied", "lockedOut"),
      ("auth=auth_err", "notRecognised"), ("auth=user_unknown", "notRecognised"),
      ("acct=acct_expired", "unavailable"), ("acct=new_authtok_reqd", "unavailable"),
      ("auth=authinfo_unavail", "unavailable"), ("auth=conv_err", "unavailable"),
    ])
    func `what PAM answers is told`(answer: String, error name: String) async throws {
      let debug = "auth required pam_debug.so \(answer)\naccount required pam_debug.so \(answer)\n"
      try await PAMFixture.run(["sealring": debug]) { fixture in
        let error = try await #require(throws: UserVerificationError.self) {
          try await fixture.verifier().verify(reason: "Sign", source: RecordingSource("right"))
        }
        #expect("\(error)".hasPrefix(name))
      }
    }

    @Test func `messages of modules are shown`() async throws {
      let echo = "auth optional pam_echo.so Hello %u\nauth required MATRIX\naccount required pam_permit.so\n"
      try await PAMFixture.run(["sealring": echo]) { fixture in
        let source = RecordingSource("right")
        try await fixture.verifier().verify(reason: "Sign", source: source)
        #expect(source.messages.first?.contains("Hello person") == true)
      }
    }

    @Test func `no other service stands in for Sealring`() async throws {
      let permit = "auth required pam_permit.so\naccount required pam_permit.so\n"
      try await PAMFixture.run(["login": permit, "other": permit]) { fixture in
        #expect(!fixture.verifier().isConfigured)
        await #expect(throws: UserVerificationError.self) {
          try await fixture.verifier().verify(reason: "Sign", source: RecordingSource("right"))
        }
      }
    }

    @Test func `a service that cannot be read is an error and no reason for another`() async throws {
      let permit = "auth required pam_permit.so\naccount required pam_permit.so\n"
      try await PAMFixture.run(["login": permit, "other": permit]) { fixture in
        // Root reads everything; nobody reads through a link that leads nowhere.
        try FileManager.default.createSymbolicLink(
          at: fixture.folder.appending(path: "sealring"), withDestinationURL: URL(filePath: "/nonexistent"))
        #expect(fixture.verifier().isConfigured)
        let error = try await #require(throws: UserVerificationError.self) {
          try await fixture.verifier().verify(reason: "Sign", source: RecordingSource("right"))
        }
        #expect("\(error)".contains("cannot be read"))
      }
    }

    @Test func `a module that maps the user verifies nobody`() async throws {
      // It takes `anonymous` for `ftp`, whatever is typed.
      let mapping = "auth required pam_ftp.so ignore\naccount required pam_permit.so\n"
      try await PAMFixture.run(["sealring": mapping]) { fixture in
        let error = try await #require(throws: UserVerificationError.self) {
          try await fixture.verifier(user: "anonymous").verify(
            reason: "Sign", source: RecordingSource("mira@example.com"))
        }
        #expect("\(error)".contains("another user"))
      }
    }

    @Test func `without a service nothing is configured`() async throws {
      try await PAMFixture.run(["other": "auth required pam_permit.so\naccount required pam_permit.so\n"]) {
        fixture in
        let verifier = fixture.verifier()
        #expect(!verifier.isConfigured)
        let error = try await #require(throws: UserVerificationError.self) {
          try await verifier.verify(reason: "Sign", source: RecordingSource("right"))
        }
        #expect("\(error)".hasPrefix("unavailable"))
      }
      try await PAMFixture.run { fixture in
        #expect(fixture.verifier().isConfigured)
        #expect(!fixture.verifier(user: nil).isConfigured)
      }
    }

    @Test(.timeLimit(.minutes(1))) func `a wrong password is answered at once and delays the next try`()
      async throws
    {
      let delaying =
        "auth optional pam_faildelay.so delay=3600000000\nauth required MATRIX\naccount required MATRIX\n"
      try await PAMFixture.run(["sealring": delaying]) { fixture in
        let verifier = fixture.verifier()
        await #expect(throws: UserVerificationError.notRecognised) {
          try await verifier.verify(reason: "Sign", source: RecordingSource("wrong"))
        }
        let source = RecordingSource("right")
        let task = Task { try await verifier.verify(reason: "Sign", source: source) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(source.questions.isEmpty)
      }
    }

    @Test func `this process has a user`() {
      #expect(PAMService.currentUser == NSUserName())
    }
  }
#endif
