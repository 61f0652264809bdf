internal import Concurrency
internal import Foundation

/// Tells how likely it is that this program or its device was tampered with.
public protocol TamperDetectorProtocol {
  /// Returns a score from 0 (no signs) to 1 (certainly tampered with).
  func analyze() -> Double
}

/// Estimates whether this program or its device was tampered with, by the highest score of its detectors.
///
/// The score is a hint, not a proof: someone who controls the device can hide every sign.
public final class TamperDetector: Sendable {
  /// The app's detectors need not be safe to use from several threads: the lock lets one analysis at a time call them.
  private struct Detectors: @unchecked Sendable { let all: [any TamperDetectorProtocol] }

  private let detectors: Locked<Detectors>

  /// A detector that runs the nine detectors of this module.
  public convenience init() { self.init(detectors: Self.standard) }

  /// A detector that runs only `detectors`.
  ///
  /// - Parameter detectors: Called by one analysis at a time.
  public init(detectors: [any TamperDetectorProtocol]) { self.detectors = Locked(Detectors(all: detectors)) }

  /// A detector that runs the nine detectors of this module, then `customDetectors`.
  public convenience init(customDetectors: [any TamperDetectorProtocol]) {
    self.init(detectors: Self.standard + customDetectors)
  }

  private static var standard: [any TamperDetectorProtocol] {
    [
      SuspiciousFilesExistenceDetector(), SuspiciousFilesAccessableDetector(), URLSchemeDetector(),
      RestrictedDirectoriesWritableDetector(), SymbolicLinkDetector(), DyldDetector(), SandboxDetector(),
      SuspiciousObjCClassesDetector(), SandboxRestrictedFilesAccessable(),
    ]
  }

  /// Returns a score from 0 (no signs) to 1 (certainly tampered with); -1 without detectors. A detector's score outside of that range
  /// counts as its nearer end, and one that is not a number as 0.
  ///
  /// - Parameter forceRunOnSimulator: Whether the detectors run on Apple's simulators, too. A simulator's files are the Mac's, so the score
  ///   is 0 there otherwise. The parameter has no effect elsewhere.
  public func analyze(forceRunOnSimulator: Bool = false) -> Double {
    detectors.withLock { detectors in
      guard !detectors.all.isEmpty else { return -1 }
      #if targetEnvironment(simulator)
        guard forceRunOnSimulator else { return 0 }
      #endif
      var score = 0.0
      for detector in detectors.all where score < 1 {
        // `max` of a number and NaN, in this order, is the number.
        score = max(score, min(1, max(0, detector.analyze())))
      }
      return score
    }
  }
}
