internal import JOSE

extension JWSLimits {
  /// For a proof over `challenge`, which is kept for ever once it is accepted: the challenge, as JSON and Base64 may stretch
  /// it, and 6 KiB for the largest signature, the other claims and an app's own.
  static func proof(over challenge: String) -> JWSLimits {
    JWSLimits(maximumBytes: min(standard.maximumBytes, (6 << 10) + challenge.utf8.count * 8 / 3))
  }
}
