internal import Concurrency
internal import Foundation
package import JourneyStore
package import PushFormats

extension PushDeviceService {
  /// `poll`: the device's open messages. With a wait it returns as soon as there is one that the device has not fetched,
  /// otherwise what is open when the wait is over.
  ///
  /// - Throws: ``Refusal``, or `StoreError`.
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
      // What was open before the wait may have been answered meanwhile.
      items = try await inbox(of: device)
    }
    try await noteFetch(of: items, by: device)
    return PushPollAnswer(messages: items.map(\.delivery))
  }

  /// The device that a bearer token of the stream form belongs to.
  ///
  /// - Throws: ``Refusal``, or `StoreError`.
  package func listener(token: String, realm: String) async throws -> PushDeviceRecord {
    let mechanismUID: String
    do throws(PushFormatError) {
      // Only finds the secret; the same token is verified with it below.
      mechanismUID = try PushFetch.unverifiedMechanismUID(of: token)
    } catch { throw Refusal(error) }
    let device = try await device(mechanismUID, realm: realm)
    try requireFetch(token, of: device)
    return device
  }

  /// What a listening device is sent.
  package enum Signal: Sendable, Hashable {
    case message(DeliveredPushMessage)
    /// Nothing new; says that both ends are there.
    case nothingNew
  }

  /// Sends the device its open messages, and new ones as they come, until it is removed, the server shuts down, or
  /// `send` throws. Wake-ups without a message send ``Signal/nothingNew``, so waking now and then keeps the connection
  /// alive.
  package func listen(
    as device: PushDeviceRecord, send: (Signal) async throws -> Void
  ) async throws {
    let waiter = dependencies.senders.direct.waiter(for: device.address)
    defer { dependencies.senders.direct.stop(waiter) }
    try await send(.nothingNew)
    var sent = try await sendNew(to: device, after: [], send)
    for await _ in waiter.wakeups {
      let open = try await sendNew(to: device, after: sent, send)
      if open.isSubset(of: sent) { try await send(.nothingNew) }
      sent = open
    }
  }

  /// - Returns: the ids of all open messages.
  private func sendNew(
    to device: PushDeviceRecord, after sent: Set<String>, _ send: (Signal) async throws -> Void
  ) async throws -> Set<String> {
    let items = try await inbox(of: device)
    let new = items.filter { !sent.contains($0.messageID) }
    for item in new { try await send(.message(item.delivery)) }
    try await noteFetch(of: new, by: device)
    return Set(items.map(\.messageID))
  }

  private func inbox(of device: PushDeviceRecord) async throws -> [PushInboxItem] {
    let items = try await dependencies.store.pushInbox(
      mechanismUID: device.mechanismUID, realm: device.realm, now: dependencies.clock())
    return Array(items.suffix(PushFormatLimits.messagesPerPoll))
  }

  private func noteFetch(of items: [PushInboxItem], by device: PushDeviceRecord) async throws {
    try await dependencies.store.notePushFetch(
      messageIDs: items.filter { !$0.wasFetched }.map(\.messageID), mechanismUID: device.mechanismUID,
      realm: device.realm)
  }

  private func requireFetch(_ token: String, of device: PushDeviceRecord) throws(Refusal) {
    let claims: PushFetch
    do throws(PushFormatError) {
      claims = try PushFetch(verifying: token, secret: device.secret())
    } catch { throw Refusal(error) }
    guard claims.mechanismUID == device.mechanismUID else {
      throw Refusal("the signed mechanismUid is another one")
    }
    try requireFresh(Date(timeIntervalSince1970: TimeInterval(claims.issuedAt)))
  }
}

extension PushInboxItem {
  fileprivate var delivery: DeliveredPushMessage {
    DeliveredPushMessage(messageID: messageID, message: message)
  }
}
