internal import Concurrency
internal import DeviceKeys
internal import Dispatch
internal import PingJourneyPlugin

#if canImport(Security)
  internal import DeviceKeysApple
#endif

// How the flows have an authenticator sign. The published `sign` is synchronous and keys are not, so that it blocks its
// thread: never one of those that Swift's tasks share.

extension DeviceAuthenticator {
  /// The proof that a new key was bound.
  func proof(_ params: SigningParameters, journey: Journey?) async throws -> String {
    let key = params.keyPair.deviceKey
    // Ours cannot be overridden, and sign without blocking a thread.
    if isOurs { return try await BindingToken.proof(params).signed(by: key) }
    let work = Transferred((self as any DeviceAuthenticator, params, journey))
    return try await onOwnThread(signingBy: key) {
      try work.value.0.sign(params: work.value.1, journey: work.value.2)
    }
  }

  /// The proof that a bound key is here.
  func proof(_ params: UserKeySigningParameters, journey: Journey?) async throws -> String {
    let key = params.deviceKey
    if isOurs { return try await BindingToken(params).signed(by: key) }
    let work = Transferred((self as any DeviceAuthenticator, params, journey))
    return try await onOwnThread(signingBy: key) {
      try work.value.0.sign(params: work.value.1, journey: work.value.2)
    }
  }
}

extension SigningParameters {
  /// The proof, waited for.
  func blockingProof() throws -> String {
    try Blocking.run { try await BindingToken.proof(self).signed(by: keyPair.deviceKey) }
  }
}

extension UserKeySigningParameters {
  /// The proof, waited for.
  func blockingProof() throws -> String {
    let (token, key) = (try BindingToken(self), deviceKey)
    return try Blocking.run { try await token.signed(by: key) }
  }
}

/// Runs what an app signs with `key` on a thread that may wait for a person.
func onOwnThread(
  signingBy key: (any DeviceKey)? = nil, _ body: @escaping @Sendable () throws -> String
) async throws -> String {
  try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { done in
      DispatchQueue.global(qos: .userInitiated).async { done.resume(with: Result { try body() }) }
    }
  } onCancel: {
    #if canImport(Security)
      (key as? KeychainKey)?.cancelPrompt()
    #endif
  }
}
