internal import AsyncHTTPClient
internal import Concurrency
internal import NIOSSL

/// HTTP clients that each connect to one checked address, so that a host cannot resolve to a harmless address for the check and to
/// another for the connection. Connections are kept as long as the host keeps the address.
struct PinnedClients: Sendable {
  private struct Key: Hashable {
    let host: String
    let address: String
  }

  private struct Entry {
    let client: OutgoingClient
    var users = 0

    /// The number of the latest use.
    var latest: UInt64
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let state = Locked(State())
  let trust: NIOSSLTrustRoots
  let timeouts: Timeouts

  /// The most open clients, because devices choose the hosts. Clients in use are not closed.
  private static let mostClients = 64

  /// Sends `request`, whose URL has this host, to the address.
  func execute(_ request: HTTPClientRequest, host: String, address: String) async throws
    -> OutgoingClient.Answer
  {
    let key = Key(host: host, address: address)
    let (client, old) = state.withLock { state -> (OutgoingClient, OutgoingClient?) in
      state.uses += 1
      let client =
        state.entries[key]?.client
        ?? OutgoingClient(
          trust: trust, timeouts: timeouts, names: host == address ? [:] : [host: address])
      state.entries[key, default: Entry(client: client, latest: 0)].latest = state.uses
      state.entries[key]?.users += 1
      guard state.entries.count > Self.mostClients else { return (client, nil) }
      let idle = state.entries.filter { $0.value.users == 0 }.min { $0.value.latest < $1.value.latest }
      return (client, idle.flatMap { state.entries.removeValue(forKey: $0.key)?.client })
    }
    await old?.close()
    defer { state.withLock { $0.entries[key]?.users -= 1 } }
    return try await client.execute(request, bodyLimit: nil)
  }

  func close() async {
    let clients = state.withLock { state in
      defer { state.entries = [:] }
      return state.entries.values.map(\.client)
    }
    for client in clients { await client.close() }
  }
}
