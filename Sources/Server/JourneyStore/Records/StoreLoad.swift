/// How busy a store is, for metrics.
public struct StoreLoad: Sendable, Hashable {
  /// Connections to a database server.
  public struct Connections: Sendable, Hashable {
    public var idle: Int
    public var used: Int

    public init(idle: Int, used: Int) {
      self.idle = idle
      self.used = used
    }
  }

  /// The number of writes that wait for a commit, or of operations that wait for a connection.
  public var waiting: Int

  /// The number of waits that have ended since the store was opened.
  public var waits: Int

  /// The duration of all ``waits`` together, in seconds.
  public var waitSeconds: Double

  /// `nil` for a store in this process.
  public var connections: Connections?

  public init(waiting: Int, waits: Int, waitSeconds: Double, connections: Connections? = nil) {
    self.waiting = waiting
    self.waits = waits
    self.waitSeconds = waitSeconds
    self.connections = connections
  }
}
