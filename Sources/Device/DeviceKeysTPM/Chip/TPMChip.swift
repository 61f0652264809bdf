internal import Bytes
internal import Concurrency
internal import Crypto
internal import DeviceKeys
internal import Dispatch
internal import Foundation
internal import PrivateFiles

/// Access to one chip. Conversations run one at a time, on a thread that may block, and are retried while other programs use all slots.
struct TPMChip: Sendable {
  private let address: ChipAddress
  /// The chip's name for tpm2-tss, for example `device:/dev/tpmrm0`.
  var tcti: String { address.text }
  private let lockFile: URL
  private let lane: Lane
  private let answerLimit: Duration
  private let pause: @Sendable (Int) async -> Void

  /// How often a conversation is tried while the chip has no free slot.
  static let attempts = 6

  /// A queue that runs the conversations with one chip one after the other. Each chip has its own, so that one that does not answer holds
  /// up no other.
  private final class Lane: Sendable {
    /// Keeps the order of arrival, which the polling file lock does not.
    let turn = AsyncMutex()
    /// A queue for blocking calls: a chip takes up to a second, which would starve other tasks.
    let queue = DispatchQueue(label: "com.sealring.tpm", qos: .userInitiated)

    private static let lanes = Locked<[String: Lane]>([:])

    static func to(_ tcti: String) -> Lane {
      lanes.withLock { lanes in
        let lane = lanes[tcti] ?? Lane()
        lanes[tcti] = lane
        return lane
      }
    }
  }

  /// - Parameters:
  ///   - lockFolder: The folder of the lock by which processes take turns.
  ///   - answerLimit: How long swtpm may take for an answer.
  ///   - pause: Waits after the failed try of the given number.
  init(
    _ address: ChipAddress, lockFolder: URL, answerLimit: Duration = .seconds(60),
    pause: @escaping @Sendable (Int) async -> Void = TPMChip.wait
  ) {
    self.address = address
    lane = Lane.to(address.text)
    self.answerLimit = answerLimit
    let name = Base64URL.encode(SHA256.hash(data: Array(address.text.utf8)))
    lockFile = lockFolder.appendingPathComponent("tpm-\(name).lock")
    self.pause = pause
  }

  /// Whether programs reach the chip without a resource manager between them: a simulator, or `/dev/tpm0`. Such a chip talks to one program
  /// at a time, so anything in its slots at the start of a conversation was left behind.
  var isDirect: Bool {
    if tcti.hasPrefix("swtpm") || tcti.hasPrefix("mssim") { return true }
    return tcti.hasPrefix("device:/dev/tpm") && tcti.dropFirst("device:/dev/tpm".count).allSatisfy(\.isNumber)
  }

  /// The error for a chip that does not exist, rather than one that is busy, locked or forbidden.
  struct Absence: LocalizedError {
    let tcti: String
    let reason: String

    var errorDescription: String? {
      "No TPM answers at '\(tcti)': \(reason). Check that it is switched on in the firmware, name another one in SEALRING_TCTI,"
        + " or use the software store."
    }
  }

  /// - Throws: ``Absence`` when there is no device file; ``DeviceKeyError/unsupported(_:)`` when this user may not use it.
  private func requireDevice() throws {
    guard let deviceFile = address.deviceFile else { return }
    guard access(deviceFile, F_OK) == 0 else {
      let reason = String(cString: strerror(errno))
      guard [ENOENT, ENOTDIR].contains(errno) else {
        throw DeviceKeyError.unsupported("The TPM at '\(tcti)' cannot be reached: \(reason).")
      }
      throw Absence(tcti: tcti, reason: reason)
    }
    // Commands for the chip must not be written into a file.
    var status = stat()
    guard stat(deviceFile, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
      throw DeviceKeyError.unsupported("'\(tcti)' does not name a TPM: it is not a device.")
    }
    guard access(deviceFile, R_OK | W_OK) == 0 else {
      throw DeviceKeyError.unsupported(
        "There is a TPM at '\(tcti)', and this user may not use it (\(String(cString: strerror(errno)))). Add the user to the"
          + " group that may (often tss), or choose the software store.")
    }
  }

  /// Whether `body` succeeds and, if not, whether there is no chip at all.
  func availability<Result: Sendable>(
    of body: @escaping @Sendable (TPMConnection) throws -> Result
  ) async -> KeyStoreAvailability {
    do {
      _ = try await conversation(body)
      return .available
    } catch let absence as Absence {
      return .absent(absence.localizedDescription)
    } catch {
      return .unavailable("The TPM cannot be used now. \(error.localizedDescription)")
    }
  }

  /// Runs `body` with a connection. `body` may run several times: its effects outside the chip must allow that.
  ///
  /// A task that is cancelled while `body` runs gets its result nevertheless: the chip cannot be interrupted cleanly.
  /// - Throws: `CancellationError` when the task is cancelled before; ``DeviceKeyError/busy(_:)`` when the chip has no free slot or other
  ///   processes do not release it; ``DeviceKeyError/unsupported(_:)`` for other answers of the chip, or none; other errors of `body`.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (TPMConnection) throws -> Result
  ) async throws -> Result {
    do { return try await conversation(body) } catch let absence as Absence {
      throw DeviceKeyError.unsupported(absence.localizedDescription)
    }
  }

  /// As ``run(_:)``, but throws ``Absence`` for a chip that is not there.
  private func conversation<Result: Sendable>(
    _ body: @escaping @Sendable (TPMConnection) throws -> Result
  ) async throws -> Result {
    try await lane.turn.withLock {
      try requireDevice()
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
          // A device file that exists and does not open is held by another program.
          if failure.command == TPMConnection.connecting, address.deviceFile == nil {
            throw Absence(tcti: tcti, reason: "\(failure)")
          }
          throw DeviceKeyError.unsupported(
            "The TPM at '\(tcti)' does not answer: \(failure). Check which program uses it, and that this user may (group tss)."
          )
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
          lane.queue.async { [address, answerLimit] in
            continuation.resume(
              with: Swift.Result {
                try TPMConnection.use(address, limit: answerLimit) { connection in
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

  /// Waits 20 ms, then twice as long each time; also in a cancelled task, where `Task.sleep` returns at once.
  @Sendable static func wait(beforeTry attempt: Int) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10 << min(attempt, 8))) {
        continuation.resume()
      }
    }
  }

  /// `$XDG_RUNTIME_DIR/sealring`, or else a folder in the client's home, where no other user can create the lock first.
  static func standardLockFolder(environment: [String: String]) -> URL {
    if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent("sealring")
    }
    return ClientHome(environment: environment).directory.appendingPathComponent("locks")
  }
}
