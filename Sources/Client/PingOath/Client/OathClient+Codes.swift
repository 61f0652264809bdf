internal import Foundation
internal import OATH

extension OathClient {
  /// Returns the current time-based code, or the code of the next counter.
  ///
  /// - Throws: As ``generateCodeWithValidity(_:)``.
  public func generateCode(_ credentialId: String) async throws -> String {
    try await generateCodeWithValidity(credentialId).code
  }

  /// Returns the current time-based code, or the code of the next counter, and how long it is valid.
  ///
  /// Every call for a counter-based credential uses up one counter, even if the code is not shown. The next counter is durably
  /// stored before this method returns.
  /// - Throws: ``OathError/credentialNotFound(_:)``, ``OathError/credentialLocked(_:)``,
  ///   ``OathError/codeGenerationFailed(_:_:)``, also for a credential whose secret, digits or period cannot be used.
  public func generateCodeWithValidity(_ credentialId: String) async throws -> OathCodeInfo {
    let credential = try await usable(credentialId)
    switch credential.oathType {
    case .hotp: return try await nextCode(credentialId)
    case .totp: return try code(of: credential, at: now()).info
    }
  }

  /// The result of ``takeCode(_:)``.
  package enum TakenCode: Sendable {
    case code(OathCodeInfo)
    /// This period's code was already returned, and servers accept no code twice. The next code is due in that many seconds.
    case wait(seconds: Int)
  }

  /// A code to send to a server: like ``generateCodeWithValidity(_:)``, but never returns a time step's code twice.
  package func takeCode(_ credentialId: String) async throws -> TakenCode {
    let credential = try await usable(credentialId)
    guard credential.oathType == .totp else { return .code(try await nextCode(credentialId)) }
    let (step, info) = try code(of: credential, at: now())
    let isNew = try await storing {
      try await storage.updateOathCredential(credentialId: credentialId) { stored in
        if let taken = stored.takenStep, taken >= step { return false }
        stored.takenStep = step
        return true
      }
    }
    guard let isNew else { throw OathError.credentialNotFound(credentialId) }
    return isNew ? .code(info) : .wait(seconds: max(1, info.timeRemaining))
  }

  /// Like ``takeCode(_:)``, but waits for the next code.
  ///
  /// - Parameter wait: waits for as many seconds. It is called at most twice, because a stopped clock would be waited for forever.
  /// - Returns: `nil` when there is no new code even then.
  package func takeCode(
    _ credentialId: String, waitingBy wait: @Sendable (Int) async throws -> Void
  ) async throws -> OathCodeInfo? {
    for isLast in [false, false, true] {
      switch try await takeCode(credentialId) {
      case .code(let info): return info
      case .wait(let seconds): if !isLast { try await wait(seconds) }
      }
    }
    return nil
  }

  private func usable(_ credentialId: String) async throws -> OathCredential {
    guard let credential = try await getCredential(credentialId) else {
      throw OathError.credentialNotFound(credentialId)
    }
    guard !credential.isLocked else { throw OathError.credentialLocked(credentialId) }
    return credential
  }

  private func code(
    of credential: OathCredential, at time: Date
  ) throws -> (step: Int64, info: OathCodeInfo) {
    let password = try credential.usablePassword()
    let seconds = time.timeIntervalSince1970
    guard let step = password.profile.factor.step(at: seconds), let number = Int64(exactly: step) else {
      throw OathError.codeGenerationFailed("the clock is wrong")
    }
    let over = Int(seconds.rounded(.down)) % credential.period
    let info = OathCodeInfo.forTotp(
      code: password.code(at: step), timeRemaining: credential.period - over,
      totalPeriod: credential.period)
    return (number, info)
  }

  /// The code of the next counter. One conditional write advances the counter, so that neither another task or process nor
  /// this program after a crash uses it again.
  private func nextCode(_ credentialId: String) async throws -> OathCodeInfo {
    let stored = try await storing {
      try await keeping {
        try await storage.updateOathCredential(credentialId: credentialId) { stored in
          // Steps that can fail come first, so that no counter is lost.
          _ = try stored.usablePassword()
          guard stored.counter >= 0, stored.counter < Int.max else {
            throw OathError.codeGenerationFailed("there is no next counter")
          }
          stored.counter += 1
          return stored
        }
      }
    }
    guard let stored else { throw OathError.credentialNotFound(credentialId) }
    guard let used = UInt64(exactly: stored.counter - 1) else {
      throw OathError.codeGenerationFailed("there is no next counter")
    }
    return .forHotp(code: try stored.usablePassword().code(at: used), counter: stored.counter)
  }

  private func storing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as OathError { throw error } catch {
      throw OathError.codeGenerationFailed("the storage failed", error)
    }
  }
}
