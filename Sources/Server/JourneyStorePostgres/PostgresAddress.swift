internal import Concurrency
internal import Foundation

/// The address of a database as libpq takes it, and the first of several hosts to try.
///
/// libpq goes through the hosts by itself, but without a time limit for each, unless the caller blocks in it: a host that accepts a
/// connection and says nothing would take all the time, again and again. So each of several hosts is opened by itself. A host that did not
/// answer comes last from then on, until another one does not answer.
final class PostgresAddress: Sendable {
  /// A URL of libpq, or its `keyword=value` form.
  let text: String

  /// One attempt to connect: the options besides the address, and how long it may take.
  struct Attempt: Sendable, Equatable {
    let host: Int
    var options: [String: String]

    /// Seconds.
    let patience: TimeInterval
  }

  /// What an address says about hosts.
  struct Hosts: Sendable, Equatable {
    /// For each host the options that replace the lists.
    var each: [[String: String]] = [[:]]

    /// The values of `target_session_attrs` to go through the hosts with, one after the other; `nil` leaves what the address says.
    var roles: [String?] = [nil]

    /// The time for each host, if the address says so. Seconds.
    var patience: TimeInterval?

    /// Whether connections are spread over the hosts at random, instead of in order.
    var isShuffled = false
  }

  private let state = Locked<(hosts: Hosts?, first: Int)>((nil, 0))

  init(_ text: String) { self.text = text }

  /// The attempts to make, in this order.
  ///
  /// - Parameter patience: the time for all attempts together. An address that has `connect_timeout` gives each host that time instead.
  func attempts(within patience: TimeInterval, _ pq: LibPQ) -> [Attempt] {
    let (hosts, first) = state.withLock { state in
      let hosts = state.hosts ?? Hosts(Self.options(of: text, pq))
      state.hosts = hosts
      return (hosts, hosts.isShuffled ? Int.random(in: hosts.each.indices) : state.first)
    }
    let count = hosts.each.count
    let each = hosts.patience ?? patience / Double(count * hosts.roles.count)
    return hosts.roles.flatMap { role in
      (0..<count).map { number in
        let host = (first + number) % count
        var options = hosts.each[host]
        if let role { options["target_session_attrs"] = role }
        return Attempt(host: host, options: options, patience: each)
      }
    }
  }

  /// Notes that a host did not answer in time.
  func turn(from host: Int) {
    state.withLock { state in
      guard let hosts = state.hosts, state.first == host else { return }
      state.first = (host + 1) % hosts.each.count
    }
  }

  /// What libpq makes of the address, the environment and its files, without a connection: an unknown value of `sslmode` ends the attempt
  /// before the first host.
  private static func options(of text: String, _ pq: LibPQ) -> [String: String] {
    guard let connection = pq.start([("dbname", text), ("sslmode", "-")]) else { return [:] }
    defer { pq.finish(connection) }
    return pq.options(
      of: connection,
      ["host", "hostaddr", "port", "target_session_attrs", "connect_timeout", "load_balance_hosts"])
  }
}

extension PostgresAddress.Hosts {
  /// - Parameter options: by libpq's names. Options that contradict each other are left to libpq, which reports them.
  init(_ options: [String: String]) {
    func list(_ name: String) -> [String] {
      options[name].map {
        $0.isEmpty ? [] : $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      } ?? []
    }
    // libpq waits two seconds at least, and takes 0 for no limit.
    if let seconds = options["connect_timeout"].flatMap({ Int($0) }), seconds > 0 {
      patience = TimeInterval(max(2, seconds))
    }
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(names.count, addresses.count)
    // An empty element of a list means a default that only libpq knows, and that cannot be given for one host.
    guard count > 1, [0, count].contains(names.count), [0, count].contains(addresses.count),
      [0, 1, count].contains(ports.count), !(names + addresses).contains("")
    else { return }
    isShuffled = options["load_balance_hosts"] == "random"
    if options["target_session_attrs"] == "prefer-standby" { roles = ["standby", "any"] }
    each = (0..<count).map { index in
      var host: [String: String] = [:]
      if !names.isEmpty { host["host"] = names[index] }
      if !addresses.isEmpty { host["hostaddr"] = addresses[index] }
      if ports.count == count { host["port"] = ports[index].isEmpty ? "5432" : ports[index] }
      return host
    }
  }
}
