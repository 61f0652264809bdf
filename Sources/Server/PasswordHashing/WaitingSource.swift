/// Whom a password is hashed for: those of one source wait behind each other, and sources take turns.
///
/// The server sets it once for each request, to the client's address. It goes with the task, because all that lies between
/// a request and the hasher (journeys, nodes, stores) has no use for it.
public enum WaitingSource {
  /// Empty for what no client asked for.
  @TaskLocal public static var current = ""
}
