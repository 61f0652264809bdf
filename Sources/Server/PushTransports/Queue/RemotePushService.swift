package import Foundation

/// One attempt at a time to hand messages to a push service. ``PushQueue`` decides when there is another.
package protocol RemotePushService: Sendable {
  /// For the log and the counters.
  var name: String { get }

  /// The service's address for a device's token. Throws ``PushSendError`` for a token of another kind.
  func address(forToken token: String) throws(PushSendError) -> String

  /// Messages of one lane share places, so that a slow lane leaves room for the others.
  func lane(ofToken token: String) -> String

  /// Hands a message over once.
  ///
  /// - Parameter device: the device's own id, in case the message goes to several.
  func send(_ notice: PushNotice, toToken token: String, device: String) async -> PushSendOutcome

  /// Closes the connections. Nothing is sent afterwards.
  func close() async
}

/// The outcome of one attempt. Reasons go to the log and contain neither tokens nor addresses.
package enum PushSendOutcome: Sendable, Hashable {
  /// The push service has the message.
  case sent

  /// A later attempt may succeed.
  ///
  /// - Parameter after: seconds that the service asks to wait, at least.
  case retry(String, after: TimeInterval? = nil)

  /// The token is dead. `since` is when the service noticed; `nil` means when the message was sent.
  case retired(String, since: Date? = nil)

  /// No attempt with the same message will succeed.
  case failed(String)
}
