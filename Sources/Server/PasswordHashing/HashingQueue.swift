/// Jobs that wait, in a line for each source. The sources take turns, so that one with many jobs does not keep the others
/// waiting; when the queue is full, the source with the most jobs loses its last one to a source with fewer.
struct HashingQueue<Job: Sendable>: Sendable {
  /// Each line is first come, first served, and none is empty.
  private var lines: [String: [Job]] = [:]

  /// The sources in the order of their turns.
  private var turns: [String] = []
  private(set) var count = 0

  /// Adds a job at the end of its source's line.
  ///
  /// - Returns: the job that has to go because more than `limit` would wait; it may be the new one.
  mutating func add(_ job: Job, source: String, limit: Int) -> Job? {
    let own = lines[source]?.count ?? 0
    var displaced: Job?
    if count >= limit {
      // Of several longest lines the one whose turn is last.
      guard let longest = turns.reversed().max(by: { length($0) < length($1) }), length(longest) > own + 1
      else { return job }
      displaced = removeLast(of: longest)
    }
    if own == 0 { turns.append(source) }
    lines[source, default: []].append(job)
    count += 1
    return displaced
  }

  /// The job whose turn it is.
  mutating func removeNext() -> Job? {
    guard let source = turns.first, var line = lines[source], !line.isEmpty else { return nil }
    turns.removeFirst()
    let job = line.removeFirst()
    lines[source] = line.isEmpty ? nil : line
    if !line.isEmpty { turns.append(source) }
    count -= 1
    return job
  }

  /// Removes the first job of a source that fits.
  mutating func remove(source: String, where fits: (Job) -> Bool) -> Job? {
    guard var line = lines[source], let index = line.firstIndex(where: fits) else { return nil }
    let job = line.remove(at: index)
    store(line, of: source)
    return job
  }

  private func length(_ source: String) -> Int { lines[source]?.count ?? 0 }

  private mutating func removeLast(of source: String) -> Job? {
    guard var line = lines[source], let job = line.popLast() else { return nil }
    store(line, of: source)
    return job
  }

  /// Stores a line that has lost one job.
  private mutating func store(_ line: [Job], of source: String) {
    lines[source] = line.isEmpty ? nil : line
    if line.isEmpty { turns.removeAll { $0 == source } }
    count -= 1
  }
}
