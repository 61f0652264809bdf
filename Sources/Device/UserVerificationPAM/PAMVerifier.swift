#if os(Linux)
  internal import Concurrency
  public import Foundation
  public import UserVerification

  /// Recognises the current user by the login password, or by whatever else the device's PAM configuration asks for.
  ///
  /// The PAM service is `sealring` (`/etc/pam.d/sealring`), without a fall-back to another one. Every verification uses a thread of its
  /// own, because PAM modules block.
  ///
  /// The delay that PAM wants after a wrong password does not delay the result, but the next verification.
  public final class PAMVerifier: DeviceCredentialVerifier {
    private let service: PAMService
    private let user: String?
    private let pause: PauseAfterFailure

    /// - Parameter configuration: A folder of PAM service files that is used instead of `/etc/pam.d`; it must hold
    ///   `sealring`.
    public convenience init(configuration: URL? = nil) {
      self.init(
        service: PAMService(configuration: configuration), user: PAMService.currentUser,
        clock: ContinuousClock())
    }

    /// A verifier with another service, for another user than the one that this process runs as.
    package convenience init(service: String, user: String, configuration: URL? = nil) {
      self.init(
        service: PAMService(name: service, configuration: configuration), user: user, clock: ContinuousClock()
      )
    }

    init(service: PAMService, user: String?, clock: some Clock<Duration>) {
      self.service = service
      self.user = user
      pause = PauseAfterFailure(clock: clock)
    }

    public var isConfigured: Bool { user != nil && service.file != nil }

    @discardableResult
    public func verify(
      reason: String, source: any CredentialSource
    ) async throws -> DeviceCredentialVerification {
      try Task.checkCancellation()
      guard let user else { throw UserVerificationError.unavailable("this process's user has no name") }
      guard let file = service.file else {
        throw UserVerificationError.unavailable(
          "PAM has no service '\(service.name)'; make /etc/pam.d/\(service.name), as the documentation shows")
      }
      if let problem = PAMService.problem(of: file) { throw UserVerificationError.unavailable(problem) }
      try await pause.wait()
      let conversation = Conversation(reason: reason, source: source)
      let outcome = FirstAnswer<Result<Void, any Error>>()
      let (pause, service) = (pause, service)
      Thread.detachNewThread {
        let result = Result {
          try Transaction(
            service: service.name, user: user, configuration: service.configuration,
            conversation: conversation
          )
          .verify()
        }
        if case .failure = result { pause.begin(conversation.delay) }
        outcome.give(result)
      }
      // A module may block where it cannot be interrupted: its thread then ends on its own, and nobody waits for it.
      try await withTaskCancellationHandler {
        try await outcome.value.get()
      } onCancel: {
        conversation.cancel()
        outcome.give(.failure(CancellationError()))
      }
      return DeviceCredentialVerification()
    }
  }
#endif
