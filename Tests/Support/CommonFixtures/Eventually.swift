/// Waits until `condition` holds, and says what did not happen when that takes too long.
///
/// For what cannot say itself that it happened. What can is better waited for by a ``Signal``, a stream, or a task's value.
/// Most waits are over after a few turns of the other tasks; a longer one looks at intervals, because a loop without pauses takes
/// the processor from the work that it waits for.
///
/// - Parameters:
///   - what: The awaited state as a clause, for the message: "the stream is open".
///   - limit: How long to wait. The default is for a slow machine: nobody waits as long unless the test fails.
///   - condition: Has to return; the limit does not interrupt it.
/// - Throws: ``WaitTimeout``, `CancellationError` when the task is cancelled, or what `condition` throws.
package func eventually(
  _ what: String, within limit: Duration = .seconds(60), fileID: String = #fileID, line: Int = #line,
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now.advanced(by: limit)
  var turns = 100
  var pause = Duration.milliseconds(1)
  while try await !condition() {
    try Task.checkCancellation()
    if turns > 0 {
      turns -= 1
      await Task.yield()
      continue
    }
    guard ContinuousClock.now < end else {
      throw WaitTimeout(what, within: limit, fileID: fileID, line: line)
    }
    try await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(10))
  }
}

/// Returns when the task that calls it is cancelled.
///
/// - Throws: ``WaitTimeout``
package func untilCancelled(
  within limit: Duration = .seconds(60), fileID: String = #fileID, line: Int = #line
) async throws {
  // Only cancellation ends the sleep early.
  guard (try? await Task.sleep(for: limit)) != nil else { return }
  throw WaitTimeout("the task is cancelled", within: limit, fileID: fileID, line: line)
}

/// What a test waited for did not happen in time.
package struct WaitTimeout: Error, CustomStringConvertible {
  package let description: String

  /// - Parameter what: The awaited state as a clause: "the stream is open".
  package init(_ what: String, within limit: Duration, fileID: String, line: Int) {
    description = "The wait until \(what) took longer than \(limit) (\(fileID):\(line))."
  }
}
