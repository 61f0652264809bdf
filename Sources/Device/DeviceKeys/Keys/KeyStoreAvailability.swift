/// Whether a store can do something here and now.
public enum KeyStoreAvailability: Sendable, Hashable {
  case available
  /// It cannot; the text says why and what to do, in whole sentences.
  case unavailable(String)
}
