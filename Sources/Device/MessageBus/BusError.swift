#if os(Linux)
  /// Why something on the bus failed.
  package enum BusError: Error, Hashable {
    /// There is no bus at all, for this reason.
    case noBus(String)
    /// This program has too many files open.
    case noDescriptors
    /// The connection to the bus broke.
    case disconnected
    /// The called service answered with an error.
    case refused(name: String, message: String)
    /// An answer that is not what its interface says.
    case malformed(String)
  }
#endif
