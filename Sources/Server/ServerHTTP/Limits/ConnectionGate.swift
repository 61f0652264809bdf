internal import Concurrency
package import Foundation
package import Logging
package import NIOCore
package import Operations
internal import WebAddresses

/// Counts the open connections and their requests, in total and by address. When there are too many connections, it closes the one that has
/// waited longest for its next request, so that idle connections lock nobody out. When there are too many requests, it takes no more: a
/// connection of HTTP/2 brings a hundred at once, and its client can leave all answers where they are.
package final class ConnectionGate: Sendable {
  /// An open connection.
  fileprivate struct Connection {
    let channel: any Channel

    /// `nil` for a trusted proxy, which forwards for many clients.
    let address: String?

    /// A number that increases with the time at which the connection began to wait; `nil` while it has a request.
    var waitingSince: UInt64?
    var requests = 0
  }

  fileprivate struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var perAddress: [String: Int] = [:]
    var requests = 0
    var requestsPerAddress: [String: Int] = [:]
    var clock: UInt64 = 0
    var lastWarning: Date?
  }

  private let maximum: Int
  private let maximumPerAddress: Int
  private let address: @Sendable (SocketAddress?) -> String?
  private let now: @Sendable () -> Date
  private let metrics: ServerMetrics
  private let state = Locked(State())

  /// Requests under way for each connection that there may be, in total and of one address.
  private static let requestsForEach = 2

  /// Seconds between two warnings in the log.
  private static let warningPause: TimeInterval = 60

  /// - Parameters:
  ///   - maximum: Connections open at once.
  ///   - maximumPerAddress: Of them, those of one address.
  ///   - address: What a peer counts as; `nil` if it does not count by address.
  package init(
    maximum: Int, maximumPerAddress: Int, address: @escaping @Sendable (SocketAddress?) -> String?,
    now: @escaping @Sendable () -> Date, metrics: ServerMetrics = .none
  ) {
    self.maximum = min(max(1, maximum), Int.max / Self.requestsForEach)
    self.maximumPerAddress = min(max(1, maximumPerAddress), Int.max / Self.requestsForEach)
    self.address = address
    self.now = now
    self.metrics = metrics
  }

  /// Makes the gate of a server. Addresses count as in its other limits, without trusted proxies.
  package convenience init(
    _ limits: ServerLimits, behind proxies: [AddressBlock], clock: @escaping @Sendable () -> Date,
    metrics: ServerMetrics = .none
  ) {
    self.init(
      maximum: min(limits.connections, OpenFiles.connections),
      maximumPerAddress: limits.connectionsPerAddress,
      address: { peer in
        guard let address = peer.flatMap(IPAddress.init), !proxies.contains(where: { $0.contains(address) })
        else { return nil }
        return address.limitKey
      }, now: clock, metrics: metrics)
  }

  /// Connections that are open now.
  package var count: Int { state.withLock { $0.connections.count } }

  /// Connections of an address that are open now.
  package func count(of address: String) -> Int { state.withLock { $0.perAddress[address] ?? 0 } }

  /// Admits a connection until it closes, if need be in place of waiting ones; `false` when there is no room.
  package func admit(_ channel: any Channel, logger: Logger) -> Bool {
    let address = address(channel.remoteAddress)
    let now = now()
    let id = ObjectIdentifier(channel)
    let (isAdmitted, closed, isOfAddress, isWorthALine) = state.withLock {
      [maximum, maximumPerAddress] state -> (Bool, [any Channel], Bool, Bool) in
      var closed: [any Channel] = []
      let isOfAddress = address.map { state.perAddress[$0] ?? 0 >= maximumPerAddress } ?? false
      if let address, state.perAddress[address] ?? 0 >= maximumPerAddress {
        closed += state.removeWaiting(of: address, atMost: maximumPerAddress)
      }
      if state.connections.count >= maximum { closed += state.removeWaiting(of: nil, atMost: maximum) }
      let isAdmitted =
        state.connections.count < maximum
        && address.map { state.perAddress[$0] ?? 0 < maximumPerAddress } ?? true
      if isAdmitted { state.add(channel, id: id, address: address) }
      guard !isAdmitted || !closed.isEmpty else { return (true, [], false, false) }
      let isWorthALine = state.lastWarning.map { now.timeIntervalSince($0) >= Self.warningPause } ?? true
      if isWorthALine { state.lastWarning = now }
      return (isAdmitted, closed, isOfAddress, isWorthALine)
    }
    if !isAdmitted || !closed.isEmpty {
      metrics.count(.limitReached, isOfAddress ? "connectionsPerAddress" : "connections")
    }
    if isWorthALine {
      logger.warning(
        "too many connections; those that have waited longest for a request are closed",
        metadata: ["client": "\(address ?? "a trusted proxy")", "open": "\(count)"])
    }
    for channel in closed { channel.close(promise: nil) }
    if isAdmitted { channel.closeFuture.whenComplete { [weak self] _ in self?.remove(id) } }
    return isAdmitted
  }

  /// The connection has one more request. Returns `false`, and does not count it, when there are too many.
  func begins(_ channel: any Channel) -> Bool {
    let full = state.withLock {
      [id = ObjectIdentifier(channel), maximum, maximumPerAddress] state -> String? in
      guard let connection = state.connections[id] else { return nil }
      if state.requests >= maximum * Self.requestsForEach { return "requestsUnderWay" }
      if let address = connection.address {
        let count = state.requestsPerAddress[address] ?? 0
        if count >= maximumPerAddress * Self.requestsForEach { return "requestsUnderWayPerAddress" }
        state.requestsPerAddress[address] = count + 1
      }
      state.requests += 1
      state.connections[id]?.requests += 1
      state.connections[id]?.waitingSince = nil
      return nil
    }
    if let full { metrics.count(.limitReached, full) }
    return full == nil
  }

  /// As many requests of the connection are over.
  package func ends(_ count: Int, _ channel: any Channel) {
    state.withLock { [id = ObjectIdentifier(channel)] state in
      guard let connection = state.connections[id], count > 0 else { return }
      let ended = min(count, connection.requests)
      state.release(ended, of: connection)
      state.connections[id]?.requests -= ended
      guard ended == connection.requests else { return }
      state.clock += 1
      state.connections[id]?.waitingSince = state.clock
    }
  }

  /// Closes every connection. Returns how many of them had a request.
  func closeAll() -> Int {
    let connections = state.withLock { Array($0.connections.values) }
    for connection in connections { connection.channel.close(promise: nil) }
    return connections.count(where: { $0.waitingSince == nil })
  }

  private func remove(_ id: ObjectIdentifier) { state.withLock { _ = $0.remove(id) } }
}

extension ConnectionGate.State {
  /// The fraction of a full set that is closed at once, because finding the connections means a search through all.
  private static let fractionClosed = 64

  fileprivate mutating func add(_ channel: any Channel, id: ObjectIdentifier, address: String?) {
    clock += 1
    connections[id] = .init(channel: channel, address: address, waitingSince: clock)
    if let address { perAddress[address, default: 0] += 1 }
  }

  fileprivate mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
    guard let connection = connections.removeValue(forKey: id) else { return nil }
    if let address = connection.address {
      let rest = (perAddress[address] ?? 1) - 1
      perAddress[address] = rest > 0 ? rest : nil
    }
    release(connection.requests, of: connection)
    return connection.channel
  }

  fileprivate mutating func release(_ count: Int, of connection: ConnectionGate.Connection) {
    requests -= count
    guard let address = connection.address, count > 0 else { return }
    let rest = (requestsPerAddress[address] ?? 0) - count
    requestsPerAddress[address] = rest > 0 ? rest : nil
  }

  /// Removes the connections that have waited longest: of one address, or of all.
  fileprivate mutating func removeWaiting(of address: String?, atMost maximum: Int) -> [any Channel] {
    let waiting = connections.compactMap { id, connection -> (since: UInt64, id: ObjectIdentifier)? in
      guard let since = connection.waitingSince, address == nil || connection.address == address else {
        return nil
      }
      return (since, id)
    }
    return waiting.sorted { $0.since < $1.since }.prefix(max(1, maximum / Self.fractionClosed))
      .compactMap { remove($0.id) }
  }
}
