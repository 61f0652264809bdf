internal import Concurrency

/// Which message brought a challenge, for the last messages that this process has received.
///
/// Questions that are still open are found in the storage. This is for those that were answered: a captured message that
/// comes again under another id is the one that was answered, as long as the process runs. The server takes no second
/// answer to a challenge in any case.
struct KnownChallenges: Sendable {
  /// More than a device receives while a message can be answered.
  static let limit = 1024

  private struct Memory: Sendable {
    var messageIDs: [String: String] = [:]
    var order: [String] = []
  }

  private let memory = Locked(Memory())

  /// The id of the message that brought the challenge; `nil` when it is not known.
  func messageID(of challenge: String, credentialID: String) -> String? {
    memory.withLock { $0.messageIDs[Self.key(challenge, credentialID)] }
  }

  func note(_ challenge: String, credentialID: String, messageID: String) {
    let key = Self.key(challenge, credentialID)
    memory.withLock { memory in
      guard memory.messageIDs.updateValue(messageID, forKey: key) == nil else { return }
      memory.order.append(key)
      guard memory.order.count >= 2 * Self.limit else { return }
      for old in memory.order.prefix(Self.limit) { memory.messageIDs[old] = nil }
      memory.order.removeFirst(Self.limit)
    }
  }

  private static func key(_ challenge: String, _ credentialID: String) -> String {
    "\(credentialID.utf8.count):\(credentialID)\(challenge)"
  }
}
