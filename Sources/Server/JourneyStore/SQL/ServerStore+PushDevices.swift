public import Foundation
internal import StrictJSON

extension ServerStore {
  /// The device of that credential, or `nil`.
  public func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    try await look(DeviceTable.push.one(with: "mechanism_uid", mechanismUID, in: realm, serverKey))
  }

  /// Stores what the device says of itself, unless something that it signed later, or at the same moment, has been stored:
  /// one conditional write. `false` for such a replay and for a device that is gone.
  public func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    let values = refresh.values(mechanismUID: mechanismUID, RealmKey(realm))
    return try await change(
      "the push device \(mechanismUID)", SQLStatement(PushDeviceSQL.refresh, values).isDone)
  }

  /// Notes that a transport takes nothing for the device's token since `date`: one conditional write. `false` when the
  /// device has another token, told this one after `date`, or is gone, and when the token was retired before.
  public func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let values: StatementValues = [
      "date": date, "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": token,
    ]
    return try await change(
      "the push device \(mechanismUID)", SQLStatement(PushDeviceSQL.retireToken, values).isDone)
  }

  /// The subset of `addresses` that belong to stored devices.
  public func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress> {
    let names = JSONValue.strings(addresses.map(\.mechanismUID))
    let devices = try await rows("push_devices", PushDeviceSQL.existing, [names], PushAddress.init)
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
    let values: StatementValues = [RealmKey(realm).realm, mechanismUID, JSONValue.strings(messageIDs)]
    try await change("the delivery to \(mechanismUID)", [SQLStatement(PushDeviceSQL.noteFetch, values)])
  }
}

private enum PushDeviceSQL {
  /// An undated refresh is accepted only while no dated one is stored, or when the token stays the same.
  static let refresh: SQL = """
    UPDATE push_devices SET device_token = :token, communication_id = :communicationID,
      communication_type = :communicationType, device_type = :deviceType,
      device_name = coalesce(:name, device_name), refreshed_at = coalesce(:signedAt, refreshed_at),
      token_retired_at = NULL
    WHERE realm_key = :realm AND mechanism_uid = :mechanism
      AND (refreshed_at IS NULL OR (:signedAt > refreshed_at) IS TRUE
        OR (:signedAt IS NULL AND device_token = :token))
    """

  static let retireToken: SQL = """
    UPDATE push_devices SET token_retired_at = :date
    WHERE realm_key = :realm AND mechanism_uid = :mechanism AND device_token = :token
      AND token_retired_at IS NULL AND coalesce(refreshed_at, created_date) <= :date
    """

  static let existing: SQL = """
    SELECT realm, mechanism_uid FROM push_devices WHERE mechanism_uid IN (\(.elements(of: "?1")))
    """

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

  static let noteFetch: SQL = """
    UPDATE push_inboxes SET was_fetched = true
    WHERE realm_key = ?1 AND mechanism_uid = ?2 AND message_id IN (\(.elements(of: "?3")))
    """
}
