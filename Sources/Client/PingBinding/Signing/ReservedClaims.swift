internal import SigningTransactions

/// Which names of custom claims are the proof's own.
package enum ReservedClaims {
  /// Whether `platform` is, in the task's signatures.
  ///
  /// The earlier SDK's guide sets it as a custom claim, so an app's value takes the place of ours there. The server does not
  /// go by it.
  @TaskLocal package static var includePlatform = true

  static var names: Set<String> {
    let always: Set<String> = [
      Constants.sub, Constants.exp, Constants.iat, Constants.nbf, Constants.iss, Constants.challenge,
      // Only a transaction that was shown may say so.
      OfferedTransaction.claim,
    ]
    return includePlatform ? always.union([Constants.platform]) : always
  }
}
