package import StrictJSON

/// The counts of a ``PushQueue`` since it was created.
package struct PushQueueCounts: Sendable, Hashable {
  /// Messages that wait for a slot or for another attempt, or are being sent: the only number that can fall.
  package var queued = 0

  /// Messages that the push service accepted.
  package var sent = 0

  /// Attempts after the first.
  package var retried = 0

  /// Tokens that the push service called dead.
  package var retired = 0

  /// Messages that were given up: failed, expired, or refused by a full or closed queue.
  package var failed = 0

  /// Messages that were not sent because the token was already dead, or the question was answered meanwhile.
  package var skipped = 0

  /// The counts in the form that operators see.
  package var json: JSONObject {
    [
      "queued": .integer(Int64(queued)), "sent": .integer(Int64(sent)), "retried": .integer(Int64(retried)),
      "retired": .integer(Int64(retired)), "failed": .integer(Int64(failed)),
      "skipped": .integer(Int64(skipped)),
    ]
  }
}
