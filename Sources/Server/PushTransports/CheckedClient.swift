internal import AsyncHTTPClient
internal import Concurrency
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
package import WebAddresses

/// Sends requests to addresses that come from scripts and similar sources. The host is resolved and checked, and the connection goes to
/// the checked address, so that a later DNS answer cannot redirect it. Redirects are not followed.
package struct CheckedClient: Sendable {
  /// A request that was refused or not answered; the text reveals nothing about this server's network.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  package struct Answer: Sendable, Hashable {
    package let status: Int
    package let reason: String

    /// Header names in lower case; several values of a name are joined by commas.
    package let headers: [String: String]
    package let body: [UInt8]
  }

  private let timeouts: Timeouts
  private let resolve: HostResolver

  /// - Parameter answering: seconds to wait for an answer's head; the whole answer may take twice as long.
  package init(answering: Int64 = 4) { self.init(answering: answering, resolve: EndpointGuard.system) }

  init(answering: Int64, resolve: @escaping HostResolver) {
    var timeouts = Timeouts()
    timeouts.connecting = .seconds(min(answering, 5))
    timeouts.answering = .seconds(answering)
    self.timeouts = timeouts
    self.resolve = resolve
  }

  /// - Parameters:
  ///   - address: the whole address.
  ///   - origin: the origin of `address`. The request goes to it, however `address` spells it.
  ///   - allowsPrivate: whether the host may be in this server's network or on this machine.
  ///   - limit: longest accepted answer, in bytes.
  ///   - answering: seconds to wait for an answer, instead of the client's own value.
  package func send(
    _ method: String, _ address: String, of origin: WebOrigin, headers: [String: String], body: [UInt8]?,
    allowsPrivate: Bool, limit: Int, answering: Int64? = nil
  ) async throws -> Answer {
    var timeouts = timeouts
    if let answering { timeouts.answering = .seconds(answering) }
    let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
    let port = Int(origin.port)
    let addresses: [SocketAddress]
    if let literal = try? SocketAddress(ipAddress: host, port: port) {
      addresses = [literal]
    } else {
      do { addresses = try await resolve(host, port) } catch {
        throw Failure(description: "the host has no address")
      }
    }
    for address in addresses {
      let scope = AddressScope(address)
      guard scope == .global || allowsPrivate && scope != .unusable else {
        throw Failure(description: "the host is not in the public network")
      }
    }
    guard let pinned = addresses.first?.ipAddress else {
      throw Failure(description: "the host has no address")
    }
    // The request uses the host in the origin's spelling: AsyncHTTPClient finds the checked address by that exact spelling, and would
    // resolve any other again.
    let request = HTTPClientRequest(
      HTTPMethod(rawValue: method), "\(origin)\(Self.place(in: address))",
      HTTPHeaders(headers.map { ($0.key, $0.value) }), body: body)
    // Each request has its own client: scripts send few, and an open connection would keep the old address.
    let client = OutgoingClient(
      trust: .default, timeouts: timeouts, names: host == pinned ? [:] : [host: pinned])
    let answer: OutgoingClient.Answer
    do { answer = try await client.execute(request, bodyLimit: limit) } catch {
      await client.close()
      throw Failure(description: "no answer: \(OutgoingClient.reason(error))")
    }
    await client.close()
    let pairs = answer.headers.map { ($0.name.lowercased(), $0.value) }
    return Answer(
      status: answer.status, reason: HTTPResponseStatus(statusCode: answer.status).reasonPhrase,
      headers: Dictionary(pairs) { "\($0), \($1)" }, body: answer.body)
  }

  /// Path and query of an address.
  private static func place(in address: String) -> Substring {
    guard let scheme = address.firstRange(of: "://") else { return "" }
    let rest = address[scheme.upperBound...]
    return rest[(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)...]
  }
}
