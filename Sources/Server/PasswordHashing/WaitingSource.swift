/// The source for which a password is hashed: jobs of one source wait behind each other, and sources take turns.
///
/// The server sets it for each request to the client's address. It is a task local, because nothing between a request and the hasher
/// (journeys, nodes, stores) needs it.
public enum WaitingSource {
  /// Empty for work that no client asked for.
  @TaskLocal public static var current = ""
}
