/// Waiting jobs, in one line per source. The sources take turns, so that a source with many jobs does not hold up the others. When
/// the queue is full, the source with the most jobs loses its last one to a source with fewer.
struct HashingQueue<Job: Sendable>: Sendable {
  /// The lines by source, first come, first served; none is empty.
  private var lines: [String: [Job]] = [:]

  /// The sources in the order of their turns.
  private var turns: [String] = []
  private(set) var count = 0

  /// Adds a job at the end of its source's line.
  ///
  /// - Returns: the job that is displaced because more than `limit` jobs would wait; it may be the new one.
  mutating func add(_ job: Job, source: String, limit: Int) -> Job? {
    let own = lines[source]?.count ?? 0
    var displaced: Job?
    if count >= limit {
      // Among the longest lines, the one whose turn comes last loses a job.
      guard let longest = turns.reversed().max(by: { length($0) < length($1) }), length(longest) > own + 1
      else { return job }
      displaced = remove(at: length(longest) - 1, of: longest)
    }
    if own == 0 { turns.append(source) }
    lines[source, default: []].append(job)
    count += 1
    return displaced
  }

  /// Removes the job whose turn it is.
  mutating func removeNext() -> Job? {
    guard let source = turns.first else { return nil }
    // The source goes to the end; `remove` drops it if this was its last job.
    turns.append(turns.removeFirst())
    return remove(at: 0, of: source)
  }

  /// Removes the first job of a source for which `fits` returns `true`.
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
