package import StrictJSON

/// What a ``PushQueue`` has done since it was made.
package struct PushQueueCounts: Sendable, Hashable {
  /// Messages that wait for their turn or for another attempt, or are being sent: the only number that can fall.
  package var queued = 0

  /// Messages that the push service accepted.
  package var sent = 0

  /// Attempts after the first.
  package var retried = 0

  /// Tokens that the push service called dead.
  package var retired = 0

  /// Messages that were given up: refused, expired, or refused by a full queue.
  package var failed = 0

  /// Messages that were not sent because the token was dead already, or the question was answered meanwhile.
  package var skipped = 0

  /// As operators see it.
  package var json: JSONObject {
    [
      "queued": .integer(Int64(queued)), "sent": .integer(Int64(sent)), "retried": .integer(Int64(retried)),
      "retired": .integer(Int64(retired)), "failed": .integer(Int64(failed)),
      "skipped": .integer(Int64(skipped)),
    ]
  }
}
