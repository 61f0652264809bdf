internal import JourneyEngine
internal import WebAuthnFormats

/// The answer to a question.
enum WebAuthnReply<Response: OutcomeResponse> {
  /// No answer yet: the same question is sent again.
  case nothing
  case recoveryCode
  case completed(Response, attachment: AuthenticatorAttachment?)
  case unsupported
  case failed(ClientError)
  case unreadable(OutcomeError)

  /// - Parameter hidden: the place of the hidden value among the callbacks; a button may follow.
  init(_ reply: CallbackReply, hidden: Int, hasButton: Bool) {
    if hasButton, reply.isPressed(at: hidden + 1) {
      self = .recoveryCode
      return
    }
    guard let value = reply.text(at: hidden), !value.isEmpty else {
      self = .nothing
      return
    }
    do throws(OutcomeError) {
      switch try ClientOutcome<Response>(parsing: value) {
      case .completed(let response, let attachment):
        self = .completed(response, attachment: attachment)
      case .unsupported: self = .unsupported
      case .failed(let error): self = .failed(error)
      }
    } catch {
      self = .unreadable(error)
    }
  }
}
