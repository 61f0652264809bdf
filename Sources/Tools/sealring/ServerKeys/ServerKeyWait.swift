import ArgumentParser
import JourneyStore

/// How long a command waits for servers that run. They look for new keys every two seconds, and one that ended without a word is taken
/// to run for ``ServerKeyRotation/absence``.
struct ServerKeyWait: ParsableArguments {
  @Option(name: .customLong("wait"), help: "How long to wait for all servers, in seconds.")
  var seconds = 15

  func validate() throws { try (0...3600).require(seconds, for: "--wait", unit: " of seconds") }

  /// Waits until `condition` has come true.
  ///
  /// - Returns: whether it has in that time.
  func until(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      if try await condition() { return true }
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(250))
    }
  }

  /// Waits until no server encrypts under an earlier key than the one in use. What is encrypted again before that is not all.
  ///
  /// - Parameter next: the command to run when they have come round.
  /// - Throws: `CommandFailure` that names those that still do.
  func untilAllUseTheKey(of rotation: ServerKeyRotation, next: String) async throws {
    guard try await !until({ try await rotation.trailing().isEmpty }) else { return }
    let servers = try await rotation.trailing().map(\.server).joined(separator: ", ")
    throw CommandFailure.busy(
      "The new key is in use, but these servers do not use it yet: \(printable(servers)). When they do (sealring key list), run: \(next)"
    )
  }
}
