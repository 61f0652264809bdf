internal import Concurrency

/// A reader in memory, for tests and previews: the program says what is enrolled on it and which finger is shown next.
///
/// One verification at a time.
public final class MemoryBiometricVerifier: BiometricVerifier {
  /// What happens at the reader.
  public enum Event: Sendable, Hashable {
    /// The finger of this name is shown; it is recognised when it is enrolled.
    case finger(String)
    /// A scan cannot be read.
    case unreadable
    /// The reader is unplugged.
    case unplug
    /// The person cancels.
    case cancel
  }

  private struct State {
    var isConnected: Bool
    var enrolled: Set<String>
    var reasons: [String] = []
    var events: [Event] = []
    /// The verification that waits for the next event.
    var waiting: CheckedContinuation<Event?, Never>?
  }

  private let name: String?
  private let state: Locked<State>

  /// - Parameters:
  ///   - isConnected: Whether there is a reader.
  ///   - enrolled: The names of the enrolled fingers.
  ///   - name: What distinguishes the reader from others; `nil` for a reader that cannot be told from others.
  public init(isConnected: Bool = true, enrolled: Set<String> = [], name: String? = nil) {
    self.name = name
    state = Locked(State(isConnected: isConnected, enrolled: enrolled))
  }

  /// The enrolled fingers.
  public var enrolled: Set<String> {
    get { state.withLock { $0.enrolled } }
    set { state.withLock { $0.enrolled = newValue } }
  }

  /// What the person was asked to agree to, in the order of the verifications.
  public var reasons: [String] { state.withLock { $0.reasons } }

  /// Delivers an event to the verification in progress, or keeps it for the next one.
  public func happen(_ event: Event) {
    let waiting = state.withLock { state in
      if state.waiting == nil { state.events.append(event) }
      return state.waiting.take()
    }
    waiting?.resume(returning: event)
  }

  public func availability() async throws -> BiometricAvailability {
    do {
      _ = try await enrolment()
      return .available
    } catch UserVerificationError.notEnrolled {
      return .notEnrolled("no finger is enrolled")
    } catch UserVerificationError.noReader(let reason) {
      return .noReader(reason)
    }
  }

  public func enrolment() async throws -> EnrolmentFingerprint {
    try Task.checkCancellation()
    let (isConnected, enrolled) = state.withLock { ($0.isConnected, $0.enrolled) }
    guard isConnected else { throw UserVerificationError.noReader("none is connected") }
    guard !enrolled.isEmpty else { throw UserVerificationError.notEnrolled }
    return EnrolmentFingerprint(
      digesting: enrolled.sorted().map { Array($0.utf8) }, reader: name.map { Array($0.utf8) })
  }

  public func verify(
    reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> BiometricVerification {
    let enrolment = try await enrolment()
    state.withLock { $0.reasons.append(reason) }
    progress(.waiting(reason))
    while let event = await nextEvent() {
      switch event {
      case .finger(let name):
        guard enrolled.contains(name) else { throw UserVerificationError.notRecognised }
        return BiometricVerification(enrolment: enrolment)
      case .unreadable:
        progress(.tryAgain("The scan could not be read. Try again."))
      case .unplug:
        state.withLock { $0.isConnected = false }
        throw UserVerificationError.readerGone
      case .cancel:
        throw UserVerificationError.canceled
      }
    }
    throw CancellationError()
  }

  /// The next event; `nil` when the task is cancelled.
  private func nextEvent() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let event = state.withLock { state -> Event?? in
          if Task.isCancelled { return .some(nil) }
          if !state.events.isEmpty { return state.events.removeFirst() }
          state.waiting = continuation
          return nil
        }
        if let event { continuation.resume(returning: event) }
      }
    } onCancel: {
      state.withLock { $0.waiting.take() }?.resume(returning: nil)
    }
  }
}
