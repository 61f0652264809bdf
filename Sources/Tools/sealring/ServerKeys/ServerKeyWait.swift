import ArgumentParser
import JourneyStore

/// How long a command waits for running servers. They look for new keys every two seconds; a server that crashed counts as running
/// for ``ServerKeyRotation/absence``.
struct ServerKeyWait: ParsableArguments {
  @Option(name: .customLong("wait"), help: "How long to wait for all servers, in seconds.")
  var seconds = 15

  func validate() throws { try (0...3600).require(seconds, for: "--wait", unit: " of seconds") }

  /// Waits until `condition` is true.
  ///
  /// - Returns: whether it became true in time.
  func until(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      if try await condition() { return true }
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(250))
    }
  }

  /// Waits until no server encrypts under an earlier key. Before that, encrypting stored values again would miss new ones.
  ///
  /// - Parameter next: the command to run once all servers use the key.
  /// - Throws: `CommandFailure`, which names the servers that do not use it.
  func untilAllUseTheKey(of rotation: ServerKeyRotation, next: String) async throws {
    guard try await !until({ try await rotation.trailing().isEmpty }) else { return }
    let servers = try await rotation.trailing().map(\.server).joined(separator: ", ")
    throw CommandFailure.busy(
      "The new key is in use, but these servers do not use it yet: \(printable(servers)). When they do (sealring key list), run: \(next)"
    )
  }
}
