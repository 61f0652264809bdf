internal import TerminalText

/// Why a run of a device did not succeed.
package struct LoadFailure: Error, Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    /// 401 or 403: the server did not accept what the device sent.
    case refused
    /// 429 or 503: the server has too much to do.
    case busy
    /// Another status from 500 on.
    case serverError
    /// Another status that is not a success.
    case rejected
    /// The answer, or a push message, did not come in time.
    case timeout
    /// No connection could be made.
    case unreachable
    /// The connection ended before the answer was there.
    case closed
    /// The connection is not secure, or its certificate not trusted.
    case tls
    /// The answer is not what the protocol says.
    case malformed
    /// The journey asks for something that the scenario cannot answer. The run of all devices ends.
    case unanswerable
    /// Something of this program failed, such as writing a key to the devices' folder. The run of all devices ends.
    case local
    /// It should have begun before the end, and no device was free.
    case notStarted
    /// It had begun and was given up at the end.
    case unfinished
  }

  package let kind: Kind

  /// One line, safe to show.
  package let detail: String

  /// - Parameter detail: may hold what the server wrote.
  package init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = TerminalText.line(detail, columns: 160)
  }

  /// Whether more runs would only repeat it: it is not about load.
  package var isFinal: Bool { kind == .unanswerable || kind == .local }

  /// Whether the server answered at all.
  package var isAnswer: Bool {
    switch kind {
    case .refused, .busy, .serverError, .rejected, .malformed, .unanswerable: true
    case .timeout, .unreachable, .closed, .tls, .local, .notStarted, .unfinished: false
    }
  }
}
