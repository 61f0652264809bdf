internal import Concurrency
internal import Foundation
package import NIOCore

/// Finds a host's addresses.
package typealias HostResolver = @Sendable (_ host: String, _ port: Int) async throws -> [SocketAddress]

/// Decides where endpoints may lead: devices choose them, and they must never lead into the server's own network.
struct EndpointGuard: Sendable {
  let allowsPrivateAddresses: Bool
  let allowsLoopbackHTTP: Bool

  let resolve: HostResolver

  /// Checks everything that needs no name resolution.
  func check(_ subscription: WebPushSubscription) throws(PushSendError) {
    if let literal = try? SocketAddress(ipAddress: subscription.host, port: subscription.port) {
      return try check([literal], isHTTPS: subscription.isHTTPS)
    }
    guard subscription.isHTTPS || allowsLoopbackHTTP else {
      throw PushSendError("the subscription's endpoint is not https")
    }
  }

  /// An address to connect to for the endpoint's host. All of the host's addresses must be allowed: a host that mixes public
  /// and internal addresses is an attack.
  func address(for subscription: WebPushSubscription, avoiding bad: String?) async throws -> String {
    let addresses = try await resolve(subscription.host, subscription.port)
    try check(addresses, isHTTPS: subscription.isHTTPS)
    let texts = addresses.compactMap(\.ipAddress)
    guard let address = texts.first(where: { $0 != bad }) ?? texts.first else {
      throw PushSendError("the endpoint's host has no address")
    }
    return address
  }

  private func check(_ addresses: [SocketAddress], isHTTPS: Bool) throws(PushSendError) {
    for address in addresses {
      let scope = AddressScope(address)
      guard isHTTPS || (allowsLoopbackHTTP && scope == .loopback) else {
        throw PushSendError("the subscription's endpoint is not https")
      }
      guard
        scope == .global || allowsPrivateAddresses && scope != .unusable || allowsLoopbackHTTP && !isHTTPS
      else { throw PushSendError("the endpoint's host is not in the public network") }
    }
  }

  /// Resolves a host with the system's resolver, on a thread of its own.
  ///
  /// Others choose the names, and one whose name server is silent takes half a minute. On shared threads, such as SwiftNIO's, a few of them
  /// hold up everything that the server does there.
  static let system: HostResolver = { host, port in
    try await onOwnThread { try Self.addresses(of: host, port) }
  }

  private static func addresses(of host: String, _ port: Int) throws -> [SocketAddress] {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = Int32(SOCK_STREAM)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { throw UnknownHost() }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let info = next?.pointee, addresses.count < 32 {
      next = info.ai_next
      guard let pointer = info.ai_addr else { continue }
      switch info.ai_family {
      case AF_INET:
        addresses.append(
          SocketAddress(
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee }, host: host))
      case AF_INET6:
        addresses.append(
          SocketAddress(
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee }, host: host))
      default: continue
      }
    }
    return addresses
  }

  /// The host has no known address; a later attempt may find one.
  struct UnknownHost: Error {}
}
