/// How busy a store is, for metrics.
package struct StoreLoad: Sendable, Hashable {
  /// Connections to a database server.
  package struct Connections: Sendable, Hashable {
    package var idle: Int
    package var used: Int

    package init(idle: Int, used: Int) {
      self.idle = idle
      self.used = used
    }
  }

  /// Writes that wait for a commit, or acts that wait for a connection.
  package var waiting: Int

  /// Those that have had their turn since the store was opened.
  package var waits: Int

  /// Seconds that they waited for it, together.
  package var waitSeconds: Double

  /// `nil` for a store in this process.
  package var connections: Connections?

  package init(waiting: Int, waits: Int, waitSeconds: Double, connections: Connections? = nil) {
    self.waiting = waiting
    self.waits = waits
    self.waitSeconds = waitSeconds
    self.connections = connections
  }
}

/// A store that says how busy it is.
package protocol StoreLoadReporting: Sendable {
  var load: StoreLoad { get }
}
