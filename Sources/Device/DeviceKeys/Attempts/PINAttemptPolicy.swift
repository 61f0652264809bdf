public import Foundation

/// How long a key is locked after wrong PINs, and after how many it is disabled.
///
/// The policy counts consecutive failures; a right PIN that is accepted resets the count (NIST SP 800-63B-4 §3.2.10). The policy itself
/// keeps no state.
public struct PINAttemptPolicy: Sendable, Hashable {
  /// The most failures that any policy allows.
  public static let maximumFailures = 10

  /// Ten failures. The first three cause no delay; then the delays are 15 s, 30 s, 1 min, 2 min, 5 min and 15 min.
  public static let standard = PINAttemptPolicy()

  /// How many consecutive failures disable the key for good; 1 to ``maximumFailures``.
  public let failuresUntilDisabled: Int

  /// Seconds to wait after the first, second, … consecutive failure. The last one applies to all further failures, and
  /// an empty list means no delay.
  public let delays: [TimeInterval]

  /// - Parameters:
  ///   - failuresUntilDisabled: Clamped to the range from 1 to ``maximumFailures``.
  ///   - delays: As in ``delays``; a negative value or NaN counts as 0, and more than a day as one day.
  public init(
    failuresUntilDisabled: Int = maximumFailures,
    delays: [TimeInterval] = [0, 0, 0, 15, 30, 60, 2 * 60, 5 * 60, 15 * 60]
  ) {
    self.failuresUntilDisabled = min(max(failuresUntilDisabled, 1), Self.maximumFailures)
    self.delays = delays.map { $0 > 0 ? min($0, 24 * 3600) : 0 }
  }

  /// Whether a try is allowed.
  package enum Decision: Sendable, Hashable {
    case allowed
    /// Refused for this many seconds.
    case wait(TimeInterval)
    /// Refused for good.
    case disabled
  }

  /// The last try before a key is disabled is counted before its outcome is known. For this many seconds it may still be in progress
  /// and succeed; after that it counts as failed.
  package static let secondsForLastTry: TimeInterval = 60

  /// Whether a PIN may be tried at `now`, given `record`.
  ///
  /// A last failure in the future (the clock was set back) counts as one at `now`.
  package func decision(after record: PINAttemptRecord?, now: Date) -> Decision {
    guard let record, record.failures > 0 else { return .allowed }
    if record.isDisabled { return .disabled }
    let elapsed = max(0, now.timeIntervalSince(record.lastFailure))
    if record.failures >= failuresUntilDisabled {
      return elapsed < Self.secondsForLastTry ? .wait(Self.secondsForLastTry - elapsed) : .disabled
    }
    let delay = delays.isEmpty ? 0 : delays[min(record.failures, delays.count) - 1]
    return elapsed < delay ? .wait(delay - elapsed) : .allowed
  }

  /// The tries that are left at `now`, given `record`.
  package func tries(after record: PINAttemptRecord?, now: Date) -> PINTries {
    let wrong = min(record?.failures ?? 0, failuresUntilDisabled)
    return switch decision(after: record, now: now) {
    case .disabled: PINTries(left: 0, wrong: wrong, wait: 0)
    case .wait(let seconds): PINTries(left: failuresUntilDisabled - wrong, wrong: wrong, wait: seconds)
    case .allowed: PINTries(left: failuresUntilDisabled - wrong, wrong: wrong, wait: 0)
    }
  }
}

/// How many wrong PINs a key still accepts, and how long the next try has to wait.
public struct PINTries: Sendable, Hashable {
  /// The number of wrong PINs until the key is disabled for good; 0 when it is. For a token (``isOfToken``), the least number until its PIN
  /// is locked; for a security chip (``isOfChip``), the number until it refuses all PINs.
  public let left: Int

  /// The number of wrong PINs since the last right one.
  public let wrong: Int

  /// Seconds until a PIN may be tried; 0 when it may be tried now.
  public let wait: TimeInterval

  /// Whether a token counts the tries. It says only that a wrong PIN was entered, that one try is left, or that none is.
  public let isOfToken: Bool

  /// Whether the security chip's own count, which all keys and programs share, ends before the key's. The chip then refuses all PINs for a
  /// while, and the key is not disabled. If ``left`` and ``wait`` are both 0, it refuses them until its owner clears the lock.
  public let isOfChip: Bool

  package init(
    left: Int, wrong: Int, wait: TimeInterval, isOfToken: Bool = false, isOfChip: Bool = false
  ) {
    (self.left, self.wrong, self.wait) = (left, wrong, wait)
    (self.isOfToken, self.isOfChip) = (isOfToken, isOfChip)
  }

  /// The smaller of this count and the chip's, which is `nil` when it is not known.
  package func limited(byChip chip: PINTries?) -> PINTries {
    guard let chip, chip.left < left else { return self }
    let isLockedForGood = chip.left == 0 && chip.wait == 0
    return PINTries(
      left: chip.left, wrong: wrong, wait: isLockedForGood ? 0 : max(wait, chip.wait), isOfChip: true)
  }

  /// The error for the key `tag` while every PIN is refused; `nil` when one may be tried, or the key is disabled.
  package func refusal(ofKey tag: String) -> DeviceKeyError? {
    guard wait > 0 || (left == 0 && (isOfToken || isOfChip)) else { return nil }
    return .lockedOut(tag: tag, retryAfter: wait > 0 ? wait : nil)
  }
}
