/// Statements that are the same in every database.
package enum SharedSQL {
  package static let recoveryCodes = """
    SELECT kind, count(*) AS codes FROM recovery_codes WHERE realm_key = ? AND name_key = ? GROUP BY kind
    """

  package static let expiryOfConsumed = "SELECT expires_at FROM consumed WHERE key = ?"

  /// ?1 key, ?2 expiry.
  package static let prolongConsumed =
    "UPDATE consumed SET expires_at = ?2 WHERE key = ?1 AND expires_at < ?2"

  /// Sessions with their accounts' ids. A session goes with its account, so the account that has its name is the one that it was made for.
  package static let sessions = """
    SELECT \(SessionRecord.columns) FROM sessions JOIN users USING (realm_key, name_key)
    """

  package static let sessionOfHandle = "\(sessions) WHERE handle = ?"

  /// An undated refresh is accepted only while no dated one is stored, or when the token stays the same.
  package static let refreshPushDevice = """
    UPDATE push_devices SET device_token = :token, communication_id = :communicationID,
      communication_type = :communicationType, device_type = :deviceType,
      device_name = coalesce(:name, device_name), refreshed_at = coalesce(:signedAt, refreshed_at),
      token_retired_at = NULL
    WHERE realm_key = :realm AND mechanism_uid = :mechanism
      AND (refreshed_at IS NULL OR (:signedAt > refreshed_at) IS TRUE
        OR (:signedAt IS NULL AND device_token = :token))
    """

  package static let retirePushToken = """
    UPDATE push_devices SET token_retired_at = :date
    WHERE realm_key = :realm AND mechanism_uid = :mechanism AND device_token = :token
      AND token_retired_at IS NULL AND coalesce(refreshed_at, created_date) <= :date
    """

  /// Open messages, and messages and wrong answers since the last success.
  package static let pushCounts = """
    SELECT
      (SELECT count(*) FROM push_messages WHERE realm_key = :realm AND name_key = :name
        AND kind = 'authentication' AND state = 'pending' AND expires_at > :now) AS open,
      coalesce((SELECT messages FROM push_accounts WHERE realm_key = :realm AND name_key = :name
        AND latest + :memory > :now), 0) AS messages,
      coalesce((SELECT wrong_answers FROM push_accounts WHERE realm_key = :realm AND name_key = :name
        AND latest + :memory > :now), 0) AS wrong_answers
    """

  package static let forgetPushCounts = """
    UPDATE push_accounts SET messages = 0, wrong_answers = 0 WHERE realm_key = ? AND name_key = ?
    """

  package static let pushInbox = """
    SELECT message_id, mechanism_uid, message, was_fetched FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE push_inboxes.realm_key = ?1 AND mechanism_uid = ?2 AND state = 'pending' AND expires_at > ?3
    ORDER BY sent_at, id
    """

  private static let isOpen = "realm_key = :realm AND id = :id AND state = 'pending' AND expires_at > :now"

  /// Whether the account that is asked still has the device that answers. It is asked in the write, for whoever verified the answer did
  /// it a moment ago.
  ///
  /// - Parameter lock: what keeps others from removing the device meanwhile, where several write at once.
  private static func hasDevice(_ lock: String) -> String {
    """
    EXISTS (SELECT 1 FROM push_devices WHERE push_devices.realm_key = :realm AND push_devices.mechanism_uid = :device
      AND push_devices.name_key = push_messages.name_key \(lock))
    """
  }

  package static func decidePushMessage(_ lock: String = "") -> String {
    """
    UPDATE push_messages SET state = :state, decided_by = :device, reason = :reason
    WHERE \(isOpen) AND \(hasDevice(lock))
    """
  }

  package static func recordWrongPushAnswer(_ lock: String = "") -> String {
    """
    UPDATE push_messages SET wrong_answers = wrong_answers + 1,
      state = CASE WHEN wrong_answers + 1 >= :limit THEN 'denied' ELSE state END,
      decided_by = CASE WHEN wrong_answers + 1 >= :limit THEN :device ELSE decided_by END,
      reason = CASE WHEN wrong_answers + 1 >= :limit THEN 'wrong number or code' ELSE reason END
    WHERE \(isOpen) AND \(hasDevice(lock)) RETURNING name_key
    """
  }

  /// ?1 realm, ?2 name, ?3 message: whether the account still has the device that decided it.
  package static func hasDeciding(_ lock: String = "") -> String {
    """
    SELECT true FROM push_devices WHERE realm_key = ?1 AND name_key = ?2
      AND mechanism_uid = (SELECT decided_by FROM push_messages WHERE realm_key = ?1 AND id = ?3) \(lock)
    """
  }

  /// When the account of `:realm`, `:name` and `:account` was created; nothing when it is gone. What has no id and is not older is taken for
  /// the account's.
  package static let creation = """
    (SELECT created_at FROM users WHERE users.realm_key = :realm AND users.name_key = :name
      AND users.account_id = :account)
    """

  package static let pushDecisions = """
    SELECT \(PushDecisionRecord.columns) FROM push_decisions
      WHERE (:realm IS NULL OR realm_key = :realm) AND (:name IS NULL OR name_key = :name)
        AND (:account IS NULL OR account_id = :account OR (account_id IS NULL AND decided_at >= \(creation)))
        AND (:before IS NULL OR number < :before) AND (:since IS NULL OR decided_at >= :since)
        AND (:until IS NULL OR decided_at < :until) AND (:type IS NULL OR type = :type)
      ORDER BY number DESC LIMIT :limit OFFSET :offset
    """

  /// A session of an inactive account does not count, even if its row is still there.
  package static let sessionIsOfActiveAccount = """
    EXISTS (SELECT 1 FROM users WHERE users.realm_key = sessions.realm_key
      AND users.name_key = sessions.name_key AND users.is_active)
    """

  package static let accountsWithRoles = """
    SELECT \(UserRecord.columns) FROM users
      WHERE realm_key = ? AND name_key > ? AND (is_administrator OR is_help_desk OR is_auditor)
      ORDER BY name_key LIMIT ?
    """

  package static let decideTransaction = """
    UPDATE transactions
    SET decided_at = :now, state = :state, reason = :reason, signer = :signer, key_id = :keyID, jws = :jws,
      nonce = :nonce, account_id = coalesce(account_id, :signerID)
    WHERE id = :id AND realm_key = :realm AND state = 'pending' AND expires_at > :now
    """

  package static let realmCreation =
    "SELECT created_at FROM realms WHERE realm_key = ? AND deleted_at IS NULL"

  package static let realms = """
    SELECT version, name FROM realm_version LEFT JOIN realms ON deleted_at IS NULL ORDER BY realm_key
    """
}
