internal import AsyncHTTPClient
internal import Bytes
internal import Concurrency
internal import Crypto
package import Foundation
internal import NIOCore
internal import NIOHTTP1
package import NIOSSL
internal import WebAddresses

/// Sends to the push services of browsers and of UnifiedPush (RFC 8030), encrypted for the device (RFC 8291).
package final class WebPushService: RemotePushService {
  /// The parts that tests replace.
  package struct Dependencies: Sendable {
    package var trust: NIOSSLTrustRoots = .default
    package var timeouts = Timeouts()

    package var resolve: HostResolver

    package init(resolve: HostResolver? = nil) { self.resolve = resolve ?? EndpointGuard.system }
  }

  package let name = "webpush"

  private let endpointGuard: EndpointGuard
  private let vapid: VAPID
  private let clients: PinnedClients
  private let clock: @Sendable () -> Date
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// The last address that did not answer, by host: the next attempt avoids it if the host has another one.
  private let silent = Locked<[String: String]>([:])
  private static let mostRemembered = 1000

  package init(
    _ configuration: WebPushConfiguration, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], dependencies: Dependencies = Dependencies()
  ) {
    endpointGuard = EndpointGuard(
      allowsPrivateAddresses: configuration.allowsPrivateAddresses,
      allowsLoopbackHTTP: configuration.allowsLoopbackHTTP, resolve: dependencies.resolve)
    vapid = VAPID(configuration: configuration)
    clients = PinnedClients(trust: dependencies.trust, timeouts: dependencies.timeouts)
    self.clock = clock
    self.randomBytes = randomBytes
  }

  // MARK: RemotePushService

  /// The endpoint. The host's addresses are checked before every message, because they may change.
  package func address(forToken token: String) throws(PushSendError) -> String {
    let subscription = try WebPushSubscription(token: token)
    try endpointGuard.check(subscription)
    return subscription.endpoint.absoluteString
  }

  /// The registered domain, because its owner can have any number of names and ports below it. An IP address is its own lane.
  package func lane(ofToken token: String) -> String {
    guard let host = try? WebPushSubscription(token: token).host else { return "" }
    return DomainName(host).flatMap(PublicSuffixes.registrableDomain)?.description ?? host
  }

  package func send(_ notice: PushNotice, toToken token: String, device: String) async -> PushSendOutcome {
    let subscription: WebPushSubscription
    let request: HTTPClientRequest
    let address: String
    do {
      subscription = try WebPushSubscription(token: token)
      try endpointGuard.check(subscription)
      request = try await self.request(notice, to: subscription)
      address = try await endpointGuard.address(
        for: subscription, avoiding: silent.withLock { $0[subscription.host] })
    } catch let error as PushSendError {
      return .failed(error.description)
    } catch is EndpointGuard.UnknownHost {
      return .retry("no address is known for the endpoint's host")
    } catch {
      return .failed("the message could not be made ready: \(type(of: error))")
    }
    do {
      // The answer's body is not needed, and could be endless.
      let response = try await clients.execute(request, host: subscription.host, address: address)
      return outcome(response, subscription)
    } catch {
      remember(address, of: subscription.host)
      return .retry("\(subscription.origin) could not be reached: \(OutgoingClient.text(error))")
    }
  }

  package func close() async { await clients.close() }

  // MARK: Requests

  private func request(_ notice: PushNotice, to subscription: WebPushSubscription) async throws
    -> HTTPClientRequest
  {
    let now = clock()
    let body = try WebPushEncryption.encrypt(
      notice.body, to: subscription.key, secret: subscription.secret,
      sender: P256.KeyAgreement.PrivateKey(), salt: randomBytes(16))
    let headers: HTTPHeaders = [
      "TTL": String(max(Int64(notice.expiresAt.timeIntervalSince(now)), 0)), "Urgency": "high",
      // Replaces an earlier copy of the message whose answer was lost; a topic has at most 32 characters.
      "Topic": String(Base64URL.encode(SHA256.hash(data: Data(notice.messageID.utf8))).prefix(32)),
      "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
      "Authorization": try await vapid.authorization(for: subscription.origin, now: now),
    ]
    return HTTPClientRequest(.POST, subscription.endpoint.absoluteString, headers, body: body)
  }

  private func outcome(_ response: OutgoingClient.Answer, _ subscription: WebPushSubscription)
    -> PushSendOutcome
  {
    let status = response.status
    let text = "\(subscription.origin) answered \(status)"
    switch status {
    case 200...299: return .sent
    case 404, 410: return .retired(text)
    case 429, 500...599:
      let asked = RetryAfter.seconds(response.headers.first(name: "retry-after"), now: clock())
      return .retry(text, after: asked)
    case 300...399: return .failed("\(text), a redirection, which is not followed")
    case 401, 403: return .failed("\(text): the subscription may have been made for another VAPID key")
    default: return .failed(text)
    }
  }

  private func remember(_ address: String, of host: String) {
    silent.withLock { silent in
      if silent.count >= Self.mostRemembered { silent.removeAll() }
      silent[host] = address
    }
  }
}
