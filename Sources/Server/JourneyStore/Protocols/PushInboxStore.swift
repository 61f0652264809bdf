public import Foundation

/// What push devices fetch.
public protocol PushInboxStore: Sendable {
  /// Open messages for the device at `now`, oldest first.
  func pushInbox(mechanismUID: String, realm: String, now: Date) async throws -> [PushInboxItem]

  /// Notes that the device has fetched the messages.
  func notePushFetch(messageIDs: [String], mechanismUID: String, realm: String) async throws

  /// The devices with open messages that they have not fetched yet, sent by any server.
  func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress>
}
