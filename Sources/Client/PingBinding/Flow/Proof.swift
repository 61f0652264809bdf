internal import Concurrency
internal import DeviceKeys
internal import PingJourneyPlugin

#if canImport(Security)
  internal import DeviceKeysApple
#endif

// The flows sign through these methods. The published `sign` is synchronous, but keys sign asynchronously: `sign` blocks its
// thread, so it never runs on one of the threads that tasks share.

extension DeviceAuthenticator {
  /// The proof that a new key was bound.
  func proof(_ params: SigningParameters, journey: Journey?) async throws -> String {
    let key = params.keyPair.deviceKey
    if standard != nil { return try await BindingToken.proof(params).signed(by: key) }
    return try await onOwnThread(key) { try $0.sign(params: params, journey: journey) }
  }

  /// The proof that this device has a bound key.
  func proof(_ params: UserKeySigningParameters, journey: Journey?) async throws -> String {
    let key = params.deviceKey
    if standard != nil { return try await BindingToken(params).signed(by: key) }
    return try await onOwnThread(key) { try $0.sign(params: params, journey: journey) }
  }

  /// Runs an app's `sign` on a thread that may wait for a person. Cancelling the task removes the prompt of `key`.
  func onOwnThread(
    _ key: (any DeviceKey)? = nil, _ sign: @escaping (Self) throws -> String
  ) async throws -> String {
    let work = Transferred { try sign(self) }
    return try await withTaskCancellationHandler {
      try await Concurrency.onOwnThread { try work.value() }
    } onCancel: {
      #if canImport(Security)
        (key as? KeychainKey)?.cancelPrompt()
      #endif
    }
  }
}

extension SigningParameters {
  /// The proof. Blocks the thread until the key has signed.
  func blockingProof() throws -> String {
    try Blocking.run { try await BindingToken.proof(self).signed(by: keyPair.deviceKey) }
  }
}

extension UserKeySigningParameters {
  /// The proof. Blocks the thread until the key has signed.
  func blockingProof() throws -> String {
    let (token, key) = (try BindingToken(self), deviceKey)
    return try Blocking.run { try await token.signed(by: key) }
  }
}
