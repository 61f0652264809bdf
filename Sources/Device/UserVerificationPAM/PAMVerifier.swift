#if os(Linux)
  public import Foundation
  public import UserVerification

  /// Recognises the current user by the login password, or by whatever else the device's PAM configuration asks for.
  ///
  /// The PAM service is `sealring` when the device has one (`/etc/pam.d/sealring`), else `login`, which every Linux device
  /// has. Every verification uses a thread of its own, because PAM modules wait.
  ///
  /// The delay that PAM wants after a wrong password does not hold up the answer: it holds up the next verification.
  public final class PAMVerifier: DeviceCredentialVerifier {
    private let service: PAMService
    private let user: String?
    private let pause: PauseAfterFailure

    /// - Parameter configuration: A folder of PAM service files that is used instead of `/etc/pam.d`; it must hold
    ///   `sealring` or `login`.
    public convenience init(configuration: URL? = nil) {
      self.init(
        service: PAMService(configuration: configuration), user: PAMService.currentUser,
        clock: ContinuousClock())
    }

    init(service: PAMService, user: String?, clock: some Clock<Duration>) {
      self.service = service
      self.user = user
      pause = PauseAfterFailure(clock: clock)
    }

    public var isConfigured: Bool { user != nil && service.name != nil }

    @discardableResult
    public func verify(
      reason: String, source: any CredentialSource
    ) async throws -> DeviceCredentialVerification {
      try Task.checkCancellation()
      guard let user else { throw UserVerificationError.unavailable("this process's user has no name") }
      guard let name = service.name else {
        throw UserVerificationError.unavailable("PAM has neither the service 'sealring' nor 'login'")
      }
      try await pause.wait()
      let conversation = Conversation(reason: reason, source: source)
      let outcome = PAMOutcome()
      let (pause, configuration) = (pause, service.configuration)
      Thread.detachNewThread {
        let result = Result {
          try Transaction(service: name, user: user, configuration: configuration, conversation: conversation)
            .verify()
        }
        if case .failure = result { pause.begin(conversation.delay) }
        outcome.give(result)
      }
      // A module may wait for something that nothing can interrupt: the thread ends on its own then, and nobody waits.
      try await withTaskCancellationHandler {
        try await outcome.value()
      } onCancel: {
        conversation.cancel()
        outcome.give(.failure(CancellationError()))
      }
      return DeviceCredentialVerification()
    }
  }
#endif
