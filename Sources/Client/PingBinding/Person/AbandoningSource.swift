internal import Concurrency
internal import UserVerification

/// An app's source of credentials that nobody waits for any more when the task is cancelled, even if it never answers.
struct AbandoningSource: CredentialSource {
  let source: any CredentialSource

  func answer(to question: CredentialQuestion) async -> CredentialSecret? {
    // The terminal has to be put in order before we go on; that ends by itself.
    let abandons = !(source is DefaultCredentialSource)
    return try? await firstOf({ await source.answer(to: question) }, orAfter: nil, abandoning: abandons)
  }

  func show(_ message: String) async { await source.show(message) }
}
