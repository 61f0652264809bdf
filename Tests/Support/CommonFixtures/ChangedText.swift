extension StringProtocol {
  /// The text with another first letter. A fixed letter would be the one that a random text has already, in one
  /// run of 64.
  package var withAnotherStart: String { (first == "A" ? "B" : "A") + dropFirst() }
}
