#if os(Linux) && DEBUG
  import CommonFixtures
  import Concurrency
  package import Foundation
  package import UserVerification

  @testable package import UserVerificationPAM

  /// A folder of PAM services of our own, so that no test needs root or a real account.
  package struct PAMFixture {
    package let folder: URL

    private static let matrix = "pam_wrapper/pam_matrix.so"

    /// Runs `body` with a configuration whose service files are made of `services`. `MATRIX` in them stands for
    /// `pam_matrix.so` with a password file in which `person` has the password `right`.
    package static func run(
      _ services: [String: String] = ["sealring": "auth required MATRIX\naccount required MATRIX\n"],
      _ body: (PAMFixture) async throws -> Void
    ) async throws {
      let temporary = try TemporaryFolder.make()
      defer { withExtendedLifetime(temporary) {} }
      let folder = temporary.url
      let libraries = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map { "/usr/lib/\($0)" }
      let module = (["/usr/lib"] + libraries).map { "\($0)/\(matrix)" }
        .first { FileManager.default.fileExists(atPath: $0) }
      guard let found = module else {
        throw FixtureError(description: "pam_matrix.so is missing: apt-get install libpam-wrapper")
      }
      let passwords = folder.appending(path: "passdb")
      try Data("person:right:sealring\n".utf8).write(to: passwords)
      for (name, text) in services {
        let line = "\(found) passdb=\(passwords.path(percentEncoded: false))"
        try Data(text.replacingOccurrences(of: "MATRIX", with: line).utf8).write(
          to: folder.appending(path: name))
      }
      try await body(PAMFixture(folder: folder))
    }

    package func verifier(user: String? = "person", clock: some Clock<Duration> = ContinuousClock())
      -> PAMVerifier
    {
      PAMVerifier(service: PAMService(configuration: folder), user: user, clock: clock)
    }
  }

  /// Answers with a secret and keeps what it was asked and shown.
  package final class RecordingSource: CredentialSource {
    private let secret: String?
    private let state = Locked((questions: [CredentialQuestion](), messages: [String]()))

    package init(_ secret: String?) { self.secret = secret }

    package var questions: [CredentialQuestion] { state.withLock { $0.questions } }
    package var messages: [String] { state.withLock { $0.messages } }

    package func answer(to question: CredentialQuestion) async -> CredentialSecret? {
      state.withLock { $0.questions.append(question) }
      return secret.map { CredentialSecret($0) }
    }

    package func show(_ message: String) async { state.withLock { $0.messages.append(message) } }
  }
#endif
