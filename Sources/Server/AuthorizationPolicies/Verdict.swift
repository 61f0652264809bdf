/// Whether a condition holds, where the answer may not be known: its type is not one that this server has, or the facts are missing.
///
/// "Not" of what is unknown is unknown, so that no policy allows anything because something could not be decided.
package enum Verdict: Sendable, Comparable {
  case fails
  case unknown
  case holds

  init(_ holds: Bool) { self = holds ? .holds : .fails }

  /// The first part that fails decides; else one that is unknown.
  static func all(_ parts: some Sequence<Verdict>) -> Verdict { parts.min() ?? .holds }

  /// The first part that holds decides; else one that is unknown.
  static func any(_ parts: some Sequence<Verdict>) -> Verdict { parts.max() ?? .fails }

  static prefix func ! (verdict: Verdict) -> Verdict {
    switch verdict {
    case .holds: .fails
    case .fails: .holds
    case .unknown: .unknown
    }
  }
}
