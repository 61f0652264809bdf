internal import TerminalText

/// The reason why a device's run failed.
package struct LoadFailure: Error, Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    /// 401 or 403: the server refused the device's answer.
    case refused
    /// 429 or 503: the server is overloaded.
    case busy
    /// Another status from 500.
    case serverError
    /// Another status that is not a success.
    case rejected
    /// The answer, or a push message, did not arrive in time.
    case timeout
    /// No connection could be made.
    case unreachable
    /// The connection ended before the answer arrived.
    case closed
    /// The connection is not secure, or its certificate not trusted.
    case tls
    /// The answer violates the protocol.
    case malformed
    /// The journey asks for input that the scenario does not have. This ends the whole load.
    case unanswerable
    /// This program failed, for example to write a key to the devices' folder. This ends the whole load.
    case local
    /// The run should have begun before the end, but no device was free.
    case notStarted
    /// The run was given up at the end.
    case unfinished
  }

  package let kind: Kind

  /// The details on one line, safe to show.
  package let detail: String

  /// - Parameter detail: the details, which may contain the server's text.
  package init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = TerminalText.line(detail, columns: 160)
  }

  /// Whether further runs would only repeat the failure, because load is not its cause.
  package var isFinal: Bool { kind == .unanswerable || kind == .local }

  /// Whether the server answered.
  package var isAnswer: Bool {
    switch kind {
    case .refused, .busy, .serverError, .rejected, .malformed, .unanswerable: true
    case .timeout, .unreachable, .closed, .tls, .local, .notStarted, .unfinished: false
    }
  }
}
