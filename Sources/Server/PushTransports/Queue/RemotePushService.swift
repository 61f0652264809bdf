package import Foundation

/// One attempt at a time to hand messages to a push service. ``PushQueue`` decides when there is another.
package protocol RemotePushService: Sendable {
  /// For the log and the counters.
  var name: String { get }

  /// The service's address for a device's token. Throws ``PushSendError`` when the token is none of this service.
  func address(forToken token: String) throws(PushSendError) -> String

  /// Messages of one lane share what the service gives us; a slow lane leaves room for the others.
  func lane(ofToken token: String) -> String

  /// Hands a message over once.
  ///
  /// - Parameter device: the device's own id, in case the message goes to several.
  func send(_ notice: PushNotice, toToken token: String, device: String) async -> PushSendOutcome

  /// Gives connections back. Nothing is sent afterwards.
  func close() async
}

/// What became of one attempt. Reasons go to the log and hold neither tokens nor addresses.
package enum PushSendOutcome: Sendable, Hashable {
  /// The push service has the message.
  case sent

  /// It may go better later.
  ///
  /// - Parameter after: seconds that the service asks to wait, at least.
  case retry(String, after: TimeInterval? = nil)

  /// The token is dead. `since` is when the service saw it die; `nil` stands for the moment of sending.
  case retired(String, since: Date? = nil)

  /// No attempt with the same message will do better.
  case failed(String)
}
