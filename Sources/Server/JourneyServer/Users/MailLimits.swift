internal import Crypto
internal import Foundation
internal import JourneyStore
internal import MailService

/// How much mail one address gets, whoever asks for it: counted by conditional writes, so that all servers of a database count together.
struct MailLimits: Sendable {
  let store: any OnceStore
  let clock: @Sendable () -> Date

  /// Messages to one address within an hour.
  static let messagesAnHour = 5

  /// Counts a message; `false` when the address has had all of this hour's.
  func allows(_ address: MailAddress) async throws -> Bool {
    let now = clock()
    let hour = Int64(now.timeIntervalSince1970 / 3600)
    for number in 0..<Self.messagesAnHour {
      let text = "mail \(hour) \(number) \(address.text.lowercased())"
      let key = Array(SHA256.hash(data: Data(text.utf8)))
      if try await store.consume(key, until: now.addingTimeInterval(7200)) { return true }
    }
    return false
  }
}
