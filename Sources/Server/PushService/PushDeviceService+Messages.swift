internal import Concurrency
internal import Foundation
internal import JourneyStore
package import PushFormats

extension PushDeviceService {
  /// `poll`: returns the device's open messages. With a wait, it returns as soon as there is one that the device has not fetched, or else
  /// the messages that are open when the wait is over.
  ///
  /// - Throws: ``Refusal``, `PushFormatError`, or `StoreError`.
  package func poll(_ body: PushPollBody, realm: String) async throws -> PushPollAnswer {
    let device = try await device(body.mechanismUID, realm: realm)
    try requireFetch(body.jwt, of: device)
    let waiter = dependencies.senders.direct.waiter(for: device.address)
    defer { dependencies.senders.direct.stop(waiter) }
    var items = try await inbox(of: device)
    if body.wait > 0, items.allSatisfy(\.wasFetched) {
      do {
        try await firstOf(
          {
            for await _ in waiter.wakeups where try await !inbox(of: device).allSatisfy(\.wasFetched) {
              return
            }
          }, orAfter: .seconds(body.wait), on: dependencies.senders.timer)
      } catch is TimeIsUp {}
      // Messages that were open before the wait may have been answered meanwhile.
      items = try await inbox(of: device)
    }
    try await noteFetch(of: items, by: device)
    return PushPollAnswer(messages: items.map(\.delivery))
  }

  /// The listener for the device that a bearer token of the streaming interface identifies.
  ///
  /// - Throws: ``Refusal``, `PushFormatError`, or `StoreError`.
  package func listener(token: String, realm: String) async throws -> PushListener {
    // The unverified id only finds the secret, with which the token is verified below.
    let device = try await device(try PushFetch.unverifiedMechanismUID(of: token), realm: realm)
    try requireFetch(token, of: device)
    return PushListener(self, device)
  }

  func inbox(of device: PushDeviceRecord) async throws -> [PushInboxItem] {
    let items = try await dependencies.store.pushInbox(
      mechanismUID: device.mechanismUID, realm: device.realm, now: dependencies.clock())
    return Array(items.suffix(PushFormatLimits.messagesPerPoll))
  }

  func noteFetch(of items: [PushInboxItem], by device: PushDeviceRecord) async throws {
    try await dependencies.store.notePushFetch(
      messageIDs: items.filter { !$0.wasFetched }.map(\.messageID), mechanismUID: device.mechanismUID,
      realm: device.realm)
  }

  private func requireFetch(_ token: String, of device: PushDeviceRecord) throws {
    let claims = try PushFetch(verifying: token, secret: device.secret())
    guard claims.mechanismUID == device.mechanismUID else {
      throw Refusal("the signed mechanismUid is another one")
    }
    try requireFresh(Date(timeIntervalSince1970: TimeInterval(claims.issuedAt)))
  }
}

extension PushInboxItem {
  var delivery: DeliveredPushMessage {
    DeliveredPushMessage(messageID: messageID, message: message)
  }
}
