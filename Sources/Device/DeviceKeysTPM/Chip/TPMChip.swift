internal import Crypto
internal import DeviceKeys
internal import Dispatch
internal import Foundation
internal import JOSE
internal import Locking
internal import PingStorage

/// The way to one chip: one conversation at a time, on a thread that may block, and tried again while others use it up.
struct TPMChip: Sendable {
  /// The chip's name for tpm2-tss, for example `device:/dev/tpmrm0`.
  let tcti: String
  private let lockFile: URL
  private let lane: Lane
  private let answerLimit: Duration
  private let pause: @Sendable (Int) async -> Void

  /// How often a conversation is tried while the chip has no room.
  static let attempts = 6

  /// Conversations with one chip, one after the other. Each chip has its own: one that does not answer holds up no other.
  private final class Lane: Sendable {
    /// In the order of arrival; the file lock polls and has no order.
    let turn = AsyncMutex()
    /// A chip takes up to a second, which would starve other tasks.
    let queue = DispatchQueue(label: "com.sealring.tpm", qos: .userInitiated)

    private static let lanes = Locked<[String: Lane]>([:])

    static func to(_ tcti: String) -> Lane {
      lanes.withLock { lanes in
        if let lane = lanes[tcti] { return lane }
        let lane = Lane()
        lanes[tcti] = lane
        return lane
      }
    }
  }

  /// - Parameters:
  ///   - lockFolder: Where processes find the lock by which they take turns.
  ///   - answerLimit: How long swtpm may take for an answer.
  ///   - pause: Waits before the try of that number, 1 being the second try.
  init(
    tcti: String, lockFolder: URL, answerLimit: Duration = .seconds(60),
    pause: @escaping @Sendable (Int) async -> Void = TPMChip.wait
  ) {
    self.tcti = tcti
    lane = Lane.to(tcti)
    self.answerLimit = answerLimit
    let name = Base64URL.encode(SHA256.hash(data: Array(tcti.utf8)))
    lockFile = lockFolder.appendingPathComponent("tpm-\(name).lock")
    self.pause = pause
  }

  /// Whether programs reach the chip without a resource manager between them: a simulator, or `/dev/tpm0`. It talks to one
  /// program at a time, so whatever is in its slots when a conversation begins has been left behind.
  var isDirect: Bool {
    if tcti.hasPrefix("swtpm") || tcti.hasPrefix("mssim") { return true }
    return tcti.hasPrefix("device:/dev/tpm") && tcti.dropFirst("device:/dev/tpm".count).allSatisfy(\.isNumber)
  }

  /// Runs `body` with a connection. It may run several times: what it does outside the chip must bear that.
  ///
  /// A task that is cancelled while `body` runs gets its result nevertheless: the chip cannot be interrupted cleanly.
  /// - Throws: `CancellationError` when the task is cancelled before; ``DeviceKeyError/busy(_:)`` when the chip has no room
  ///   or other processes do not let it go; ``DeviceKeyError/unsupported(_:)`` for other answers of the chip, or none; what
  ///   else `body` throws.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (TPMConnection) throws -> Result
  ) async throws -> Result {
    try await lane.turn.withLock {
      var attempt = 1
      while true {
        try Task.checkCancellation()
        do {
          return try await converse(flushingLeftovers: isDirect && attempt > 1, body)
        } catch let failure as TPMFailure where failure.meaning == .busy {
          guard attempt < Self.attempts else { throw DeviceKeyError.busy("\(failure)") }
          await pause(attempt)
          attempt += 1
        } catch let failure as TPMFailure where failure.meaning == .unreachable {
          throw DeviceKeyError.unsupported(
            "No TPM answers at '\(tcti)': \(failure). Check that it is switched on in the firmware and that this user may"
              + " use it (group tss), name another one in SEALRING_TCTI, or use the software store.")
        } catch let failure as TPMFailure {
          throw DeviceKeyError.unsupported("The TPM at '\(tcti)' refused: \(failure).")
        }
      }
    }
  }

  private func converse<Result: Sendable>(
    flushingLeftovers: Bool, _ body: @escaping @Sendable (TPMConnection) throws -> Result
  ) async throws -> Result {
    do {
      try reportingFiles { try ProtectedFiles.createFolder(lockFile.deletingLastPathComponent()) }
      return try await FileLock(file: lockFile).withLock {
        try await withCheckedThrowingContinuation { continuation in
          lane.queue.async { [tcti, answerLimit] in
            continuation.resume(
              with: Swift.Result {
                try TPMConnection.use(tcti, limit: answerLimit) { connection in
                  if flushingLeftovers { try connection.flushLeftovers() }
                  return try body(connection)
                }
              })
          }
        }
      }
    } catch FileStorageError.locked(let path) {
      throw DeviceKeyError.busy("another process holds the lock \(path)")
    }
  }

  /// 20 ms, then twice as long each time; also in a cancelled task, where `Task.sleep` returns at once.
  @Sendable static func wait(beforeTry attempt: Int) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10 << min(attempt, 8))) {
        continuation.resume()
      }
    }
  }

  /// `$XDG_RUNTIME_DIR/sealring`, else a folder of this user's among the temporary files.
  static func standardLockFolder(environment: [String: String]) -> URL {
    if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent("sealring")
    }
    return FileManager.default.temporaryDirectory.appendingPathComponent("sealring-\(geteuid())")
  }
}
