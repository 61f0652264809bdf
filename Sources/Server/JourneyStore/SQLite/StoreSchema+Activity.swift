extension StoreSchema {
  /// Runs of journeys for a while, each in as many rows as it made pauses, and counts of what happened by minute and hour.
  static let activity = """
    CREATE TABLE journey_attempts (
      realm_key TEXT NOT NULL,
      run_id TEXT NOT NULL,
      part TEXT NOT NULL,
      name_key TEXT,
      journey TEXT NOT NULL,
      state TEXT NOT NULL,
      steps TEXT NOT NULL,
      reason TEXT,
      started_at REAL NOT NULL,
      latest_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      PRIMARY KEY (realm_key, run_id, part)
    ) STRICT;
    CREATE INDEX journey_attempts_by_account ON journey_attempts (realm_key, name_key, latest_at);
    CREATE INDEX journey_attempts_by_time ON journey_attempts (realm_key, latest_at);
    CREATE INDEX journey_attempts_by_expiry ON journey_attempts (expires_at);

    CREATE TABLE activity_counts (
      realm_key TEXT NOT NULL,
      series TEXT NOT NULL,
      grain INTEGER NOT NULL, -- of the period, in seconds
      period INTEGER NOT NULL, -- its beginning
      label TEXT NOT NULL,
      amount INTEGER NOT NULL,
      expires_at REAL NOT NULL,
      PRIMARY KEY (realm_key, series, grain, period, label)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX activity_counts_by_expiry ON activity_counts (expires_at);
    """
}
