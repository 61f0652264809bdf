/// Waiting jobs, in a line for each source. The sources take turns, so that one with many jobs does not hold up the others; when
/// the queue is full, the source with the most jobs loses its last one to a source with fewer.
struct HashingQueue<Job: Sendable>: Sendable {
  /// Each line is first come, first served, and none is empty.
  private var lines: [String: [Job]] = [:]

  /// The sources in the order of their turns.
  private var turns: [String] = []
  private(set) var count = 0

  /// Adds a job at the end of its source's line.
  ///
  /// - Returns: the job that is displaced because more than `limit` would wait; it may be the new one.
  mutating func add(_ job: Job, source: String, limit: Int) -> Job? {
    let own = lines[source]?.count ?? 0
    var displaced: Job?
    if count >= limit {
      // Of several longest lines the one whose turn is last.
      guard let longest = turns.reversed().max(by: { length($0) < length($1) }), length(longest) > own + 1
      else { return job }
      displaced = remove(at: length(longest) - 1, of: longest)
    }
    if own == 0 { turns.append(source) }
    lines[source, default: []].append(job)
    count += 1
    return displaced
  }

  /// The job whose turn it is.
  mutating func removeNext() -> Job? {
    guard let source = turns.first else { return nil }
    // To the end, unless this was its last job.
    turns.append(turns.removeFirst())
    return remove(at: 0, of: source)
  }

  /// Removes the first job of a source that fits.
  mutating func remove(source: String, where fits: (Job) -> Bool) -> Job? {
    lines[source]?.firstIndex(where: fits).flatMap { remove(at: $0, of: source) }
  }

  private func length(_ source: String) -> Int { lines[source]?.count ?? 0 }

  private mutating func remove(at index: Int, of source: String) -> Job? {
    let job = lines[source]?.remove(at: index)
    if lines[source]?.isEmpty == true {
      lines[source] = nil
      turns.removeAll { $0 == source }
    }
    count -= 1
    return job
  }
}
