internal import BindingFormats
internal import Concurrency
internal import SigningTransactions

/// The person's approval of readable content, a transaction or a text, before it is signed.
///
/// Both flows ask here, so that no path to a signature skips it.
struct Approval {
  let challenge: Challenge
  let dependencies: BindingDependencies

  /// - Throws: ``TextNotShown`` for a text that cannot be shown as it would be signed.
  init(of challenge: Challenge, _ dependencies: BindingDependencies) throws(TextNotShown) {
    do { _ = try challenge.signedText() } catch { throw TextNotShown(fault: error) }
    (self.challenge, self.dependencies) = (challenge, dependencies)
  }

  /// Asks the person, unless there is nothing to approve, or the prompt that unlocks the key shows the content.
  ///
  /// - Parameters:
  ///   - account: The name of the key's user.
  ///   - isShown: Whether that prompt shows the content; `nil` when there is no such prompt, or this is unknown.
  /// - Returns: Whether this method showed the content in full and the person approved it.
  /// - Throws: ``TransactionNotShown`` when only the app's prompt could show a transaction, and does not declare that it does;
  ///   ``DeviceBindingError/userCanceled`` when the person refuses.
  func ask(account: String?, isShown: Bool?) async throws -> Bool {
    switch challenge {
    case .random: return false
    case .transaction(let offer):
      if let confirmation = dependencies.config.transactionConfirmation {
        return try await approved(by: confirmation, offer.transaction)
      }
      if let isShown {
        guard isShown else { throw TransactionNotShown.pinCollector }
        return false
      }
    case .text(let text):
      if let confirmation = dependencies.config.textConfirmation {
        return try await approved(by: confirmation, text)
      }
      if isShown == true { return false }
    }
    var prompt = dependencies.prompt(account: account)
    if case .text(let text) = challenge { prompt = prompt.showing(text: text) }
    let isApproved = try await dependencies.deadline.run(abandoning: false) { [prompt] in
      try await DefaultConfirmation().confirm(prompt: prompt)
    }
    guard isApproved else { throw DeviceBindingError.userCanceled }
    return true
  }

  /// Asks the app's own question.
  private func approved<Content: Sendable>(
    by confirmation: @escaping (Content) async -> Bool, _ content: Content
  ) async throws -> Bool {
    let transferred = Transferred(confirmation)
    let isApproved = try await dependencies.deadline.run(abandoning: true) {
      await transferred.value(content)
    }
    guard isApproved else { throw DeviceBindingError.userCanceled }
    return true
  }
}

/// Why a text is not signed: the person would not see it as it is signed.
struct TextNotShown: Error {
  let fault: SignedText.Fault

  var text: String {
    "The server asks to sign a text that cannot be shown as it would be signed: \(fault.problem). Nothing was signed."
  }
}
