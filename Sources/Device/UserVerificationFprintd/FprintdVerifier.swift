#if os(Linux)
  public import Foundation
  internal import MessageBus
  public import UserVerification

  /// Recognises the current user by a finger that is enrolled with fprintd, the fingerprint service of Linux desktops.
  ///
  /// Every call uses a thread and a bus connection of its own. The reader is claimed only during a scan, and
  /// released however that ends.
  public struct FprintdVerifier: BiometricVerifier {
    private let busAddress: String?
    private let prints: EnrolledPrints?

    /// - Parameters:
    ///   - busAddress: The address of fprintd's bus, in D-Bus notation; `nil` for the system bus, which `DBUS_SYSTEM_BUS_ADDRESS` may move.
    ///   - printsFolder: fprintd's folder of enrolled prints (`/var/lib/fprint`), for a program that may read it, such as
    ///     one that runs as root. ``EnrolmentFingerprint`` then covers the prints themselves. Without it, it covers which
    ///     fingers are enrolled on which model of reader, and a finger that replaces another one under the same name goes unnoticed.
    public init(busAddress: String? = nil, printsFolder: URL? = nil) {
      self.busAddress = busAddress
      prints = printsFolder.map { EnrolledPrints(folder: $0) }
    }

    public func availability() async throws -> BiometricAvailability {
      do {
        _ = try await enrolment()
        return .available
      } catch UserVerificationError.notEnrolled {
        return .notEnrolled("enrol a finger with fprintd-enroll or in the desktop's settings")
      } catch UserVerificationError.noReader(let reason), UserVerificationError.unavailable(let reason) {
        return .noReader(reason)
      } catch UserVerificationError.readerGone {
        return .noReader("the reader went away")
      }
    }

    public func enrolment() async throws -> EnrolmentFingerprint {
      try await withReader { reader, _ in try fingerprint(of: reader) }
    }

    public func verify(
      reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void
    ) async throws -> BiometricVerification {
      try await withReader { reader, bus in
        let instruction = "\(reason). \(reader.instruction)."
        try reader.claim()
        defer { reader.release() }
        // Nobody can enrol a finger while this program has claimed the reader: the person is recognised in this set.
        let enrolment = try fingerprint(of: reader)
        var events: [ScanEvent] = []
        try reader.startVerifying(
          status: { events.append(.status($0)) }, gone: { events.append(.readerGone) })
        defer { reader.stopVerifying() }
        progress(.waiting(instruction))
        do {
          try bus.waitForMatch(progress: progress) { events.isEmpty ? nil : events.removeFirst() }
        } catch UserVerificationError.unavailable(let failure) {
          // Some drivers report an unknown error when their reader is unplugged, and fprintd lists the reader until it is released and for
          // a moment longer. So this asks a number of times.
          reader.stopVerifying()
          reader.release()
          let isThere = (1...100).allSatisfy { _ in reader.isThere }
          throw isThere ? UserVerificationError.unavailable(failure) : .readerGone
        }
        return BiometricVerification(enrolment: enrolment)
      }
    }

    private func fingerprint(of reader: FingerprintReader) throws -> EnrolmentFingerprint {
      let fingers = try reader.enrolledFingers().sorted().map { Array($0.utf8) }
      let name = Array(try reader.name().utf8)
      return EnrolmentFingerprint(digesting: [name] + fingers + (try prints?.contents() ?? []), reader: name)
    }

    /// Runs `body` on a thread of its own, because it waits for the person there. Cancelling this task interrupts `body`.
    private func withReader<Result: Sendable>(
      _ body: @escaping @Sendable (FingerprintReader, Bus) throws -> Result
    ) async throws -> Result {
      do {
        return try await Bus.withConnection(to: busAddress) { bus in
          try body(try FingerprintReader(on: bus), bus)
        }
      } catch let error as BusError {
        throw UserVerificationError(error)
      }
    }
  }

  /// What can happen during a scan.
  enum ScanEvent: Hashable {
    case status(FingerprintReader.Status)
    case readerGone
  }

  extension Bus {
    /// Returns when an enrolled finger was shown.
    fileprivate func waitForMatch(
      progress: (BiometricProgress) -> Void, event: () -> ScanEvent?
    ) throws {
      while true {
        switch try wait(for: event) {
        case .readerGone:
          throw UserVerificationError.readerGone
        case .status(let status):
          if let again = try ScanOutcome(status).tryAgain { progress(.tryAgain(again)) } else { return }
        }
      }
    }
  }

  /// What a step of a scan means: the finger was recognised, or the person has to try again with this text.
  struct ScanOutcome: Hashable {
    /// `nil` when the finger was recognised.
    let tryAgain: String?

    /// - Throws: ``UserVerificationError`` when the scan is over without success.
    init(_ status: FingerprintReader.Status) throws {
      switch status.result {
      case "verify-match" where status.isDone: tryAgain = nil
      case "verify-no-match" where status.isDone: throw UserVerificationError.notRecognised
      case "verify-disconnected": throw UserVerificationError.readerGone
      case _ where status.isDone:
        throw UserVerificationError.unavailable("the scan ended with \(status.result)")
      case "verify-swipe-too-short": tryAgain = "That was too short. Swipe again."
      case "verify-finger-not-centered": tryAgain = "The finger was not centred. Try again."
      case "verify-remove-and-retry": tryAgain = "Lift the finger and try again."
      default: tryAgain = "The finger could not be read. Try again."
      }
    }
  }
#endif
