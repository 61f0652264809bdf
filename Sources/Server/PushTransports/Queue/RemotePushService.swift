package import Foundation

/// Makes single attempts to hand messages to a push service. ``PushQueue`` decides about retries.
package protocol RemotePushService: Sendable {
  /// The service's name, for the log and the counters.
  var name: String { get }

  /// The service's address for a device's token. Throws ``PushSendError`` for an invalid token.
  func address(forToken token: String) throws(PushSendError) -> String

  /// The lane of a token's messages. Messages of one lane share slots, so that a slow lane leaves room for the others.
  func lane(ofToken token: String) -> String

  /// Makes one attempt to hand a message over.
  ///
  /// - Parameter device: the device's own id, because one message may go to several devices.
  func send(_ notice: PushNotice, toToken token: String, device: String) async -> PushSendOutcome

  /// Closes the connections. Nothing may be sent afterwards.
  func close() async
}

/// The outcome of one attempt. Reasons go to the log and contain neither tokens nor addresses.
package enum PushSendOutcome: Sendable, Hashable {
  /// The push service accepted the message.
  case sent

  /// A later attempt may succeed.
  ///
  /// - Parameter after: the shortest wait that the service asks for, in seconds.
  case retry(String, after: TimeInterval? = nil)

  /// The token is dead. `since` is when the service noticed; `nil` stands for the time of the attempt.
  case retired(String, since: Date? = nil)

  /// No attempt with the same message will succeed.
  case failed(String)
}
