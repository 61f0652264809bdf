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

  /// Writes that wait for a commit, or acts that wait for a connection.
  public var waiting: Int

  /// Those that have had their turn since the store was opened.
  public var waits: Int

  /// Seconds that they waited for it, together.
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
