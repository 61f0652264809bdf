internal import BindingFormats

/// Which names of custom claims are the proof's own.
///
/// `platform` is not among them: the guides' examples set it, so an app's value takes the place of ours. The server does not
/// go by it in what a bound key signs.
enum ReservedClaims {
  static let names: Set<String> = [
    Constants.sub, Constants.exp, Constants.iat, Constants.nbf, Constants.iss, Constants.challenge,
    // Only a transaction that was shown may say so.
    ProofClaim.transaction,
  ]
}
