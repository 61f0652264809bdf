internal import Crypto
package import Foundation
package import JourneyStore
package import MailService
internal import WebAddresses

/// Limits the mail to one address, whoever asks for it. Conditional writes count it, so that all servers of a database count together.
///
/// Anybody can ask for mail to somebody else's address, so mail is limited. But a thousand requests must not keep the address's owner from
/// getting a link. So links are counted separately, first for each network that asks, so that a flood from one place uses up only its own
/// share. They are counted over times that are no longer than a link is accepted: when a link is refused to all, earlier ones are in the
/// mailbox and still valid. A journey whose link was not sent waits like any other, and nobody has its link. No journey is ended for
/// another, because that would take the owner's link away.
package struct MailLimits: Sendable {
  package let store: any ServerStore

  /// Seconds that a link is accepted.
  package let linkLifetime: TimeInterval
  package let clock: @Sendable () -> Date

  package init(store: any ServerStore, linkLifetime: TimeInterval, clock: @escaping @Sendable () -> Date) {
    (self.store, self.linkLifetime, self.clock) = (store, linkLifetime, clock)
  }

  /// Messages without links to one address within an hour.
  static let messagesAnHour = 5

  /// Links for one purpose to one address that one network can ask for within ``linkWindow``, in case the first is lost.
  static let linksOfOneNetwork = 2

  /// The same for all networks together.
  static let linksAtOnce = 4

  /// The same within an hour, for links that live for less than minutes.
  static let linksAnHour = 60

  /// Longest time over which links are counted, however long they live. Seconds.
  private static let longestWindow: TimeInterval = 600

  /// The time over which links are counted. Seconds; no longer than a link is accepted, so that the last link of a window outlives it.
  var linkWindow: TimeInterval { min(max(linkLifetime, 1), Self.longestWindow) }

  /// Counts a message. Returns `false` when its address has reached a limit.
  package func allows(_ message: MailMessage) async throws -> Bool {
    let address = message.recipient.text.lowercased()
    guard let link = message.link else {
      return try await counts("mail", address, within: 3600, most: Self.messagesAnHour)
    }
    let what = "link \(link.purpose)"
    let network = IPAddress(link.requester)?.limitKey ?? link.requester
    guard
      try await counts("\(what) of \(network)", address, within: linkWindow, most: Self.linksOfOneNetwork),
      try await counts(what, address, within: linkWindow, most: Self.linksAtOnce)
    else { return false }
    return try await counts("\(what) by hour", address, within: 3600, most: Self.linksAnHour)
  }

  /// Takes one of the places in the current window. Returns `false` when none is left.
  private func counts(
    _ what: String, _ address: String, within window: TimeInterval, most: Int
  ) async throws -> Bool {
    let now = clock()
    let number = Int64(now.timeIntervalSince1970 / window)
    for place in 0..<most {
      let text = "\(what) \(number) \(place) \(address)"
      let key = Array(SHA256.hash(data: Data(text.utf8)))
      if try await store.consume(key, until: now.addingTimeInterval(2 * window)) { return true }
    }
    return false
  }
}
