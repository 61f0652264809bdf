public import Foundation
internal import StrictJSON

extension ServerStore {
  /// The device of that credential, or `nil`.
  public func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    try await look(DeviceTable.push(serverKey).one(with: "mechanism_uid", mechanismUID, in: realm))
  }

  /// Stores what the device reports about itself, unless a report that it signed later or at the same moment is stored: one conditional
  /// write. `false` for such a replay and for a device that is gone.
  public func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    // An undated refresh is accepted only while no dated one is stored, or when the token stays the same.
    let update = SQLStatement(
      """
      UPDATE push_devices SET device_token = :token, communication_id = :communicationID,
        communication_type = :communicationType, device_type = :deviceType,
        device_name = coalesce(:name, device_name), refreshed_at = coalesce(:signedAt, refreshed_at),
        token_retired_at = NULL
      WHERE realm_key = :realm AND mechanism_uid = :mechanism
        AND (refreshed_at IS NULL OR (:signedAt > refreshed_at) IS TRUE
          OR (:signedAt IS NULL AND device_token = :token))
      """,
      [
        "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": refresh.deviceToken,
        "communicationID": refresh.communicationID, "communicationType": refresh.communicationType,
        "deviceType": refresh.deviceType, "name": refresh.deviceName, "signedAt": refresh.issuedAt,
      ])
    return try await change("the push device \(mechanismUID)", update.isDone)
  }

  /// Records that a transport refuses the device's token since `date`: one conditional write. `false` when the device has another token,
  /// reported this one after `date`, or is gone, and when the token was retired before.
  public func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let update = SQLStatement(
      """
      UPDATE push_devices SET token_retired_at = ?1 WHERE realm_key = ?2 AND mechanism_uid = ?3
        AND device_token = ?4 AND token_retired_at IS NULL AND coalesce(refreshed_at, created_date) <= ?1
      """, [date, RealmKey(realm).realm, mechanismUID, token])
    return try await change("the push device \(mechanismUID)", update.isDone)
  }

  /// The subset of `addresses` that belong to stored devices.
  public func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress> {
    let devices = try await rows(
      "push_devices",
      "SELECT realm, mechanism_uid FROM push_devices WHERE mechanism_uid IN (\(.elements(of: "?1")))",
      [JSONValue.strings(addresses.map(\.mechanismUID))], PushAddress.init)
    return addresses.intersection(devices)
  }

  /// The devices with open messages that they have not fetched yet, sent by any server.
  public func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress> {
    Set(try await rows("push_inboxes", PushDeviceSQL.withNews, [now], PushAddress.init))
  }

  /// Open messages for the device at `now`, oldest first.
  public func pushInbox(mechanismUID: String, realm: String, now: Date) async throws -> [PushInboxItem] {
    try await look(
      SQLStatement(PushDeviceSQL.inbox, [RealmKey(realm).realm, mechanismUID, now])
        .rows(of: "push_inboxes", PushInboxItem.init))
  }

  /// Notes that the device has fetched the messages.
  public func notePushFetch(messageIDs: [String], mechanismUID: String, realm: String) async throws {
    guard !messageIDs.isEmpty else { return }
    let update = SQLStatement(
      """
      UPDATE push_inboxes SET was_fetched = true
      WHERE realm_key = ?1 AND mechanism_uid = ?2 AND message_id IN (\(.elements(of: "?3")))
      """, [RealmKey(realm).realm, mechanismUID, JSONValue.strings(messageIDs)])
    try await change("the delivery to \(mechanismUID)", [update])
  }
}

private enum PushDeviceSQL {
  private static let isNew = SQL(sqlite: "was_fetched = 0", postgres: "NOT was_fetched")

  static let withNews: SQL = """
    SELECT DISTINCT realm, mechanism_uid FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE \(isNew) AND state = 'pending' AND expires_at > ?
    """

  static let inbox: SQL = """
    SELECT message_id, mechanism_uid, message, was_fetched FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE push_inboxes.realm_key = ?1 AND mechanism_uid = ?2 AND state = 'pending' AND expires_at > ?3
    ORDER BY sent_at, id
    """
}
