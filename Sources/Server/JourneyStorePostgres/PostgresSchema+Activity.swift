extension PostgresSchema {
  /// Runs of journeys for a while, each in as many rows as it made pauses, and counts of what happened by minute and hour.
  static let activity = [
    """
    CREATE TABLE journey_attempts (realm_key text COLLATE "C" NOT NULL, run_id text COLLATE "C" NOT NULL,
      part text COLLATE "C" NOT NULL, name_key text COLLATE "C", journey text NOT NULL, state text NOT NULL,
      steps text NOT NULL, reason text, started_at double precision NOT NULL, latest_at double precision NOT NULL,
      expires_at double precision NOT NULL, PRIMARY KEY (realm_key, run_id, part))
    """,
    "CREATE INDEX journey_attempts_by_account ON journey_attempts (realm_key, name_key, latest_at)",
    "CREATE INDEX journey_attempts_by_time ON journey_attempts (realm_key, latest_at)",
    "CREATE INDEX journey_attempts_by_expiry ON journey_attempts (expires_at)",
    """
    CREATE TABLE activity_counts (realm_key text COLLATE "C" NOT NULL, series text COLLATE "C" NOT NULL,
      grain bigint NOT NULL, -- of the period, in seconds
      period bigint NOT NULL, -- its beginning
      label text COLLATE "C" NOT NULL, amount bigint NOT NULL, expires_at double precision NOT NULL,
      PRIMARY KEY (realm_key, series, grain, period, label))
    """,
    "CREATE INDEX activity_counts_by_expiry ON activity_counts (expires_at)",
  ]
}
