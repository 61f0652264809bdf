internal import AsyncHTTPClient
internal import Bytes
internal import Concurrency
internal import Crypto
package import Foundation
internal import NIOCore
internal import NIOHTTP1
package import NIOSSL

/// Sends to Apple devices over HTTP/2. One connection carries many messages at once.
///
/// APNSwift could replace this folder, but lacks what matters here: a token of the other environment is tried there, `apns-id` and
/// `apns-collapse-id` follow from the message, so that a message sent twice shows once, and clock and trust roots are injected, so that
/// tests can play Apple over TLS.
package final class APNsService: RemotePushService {
  /// Apple's hosts and trust roots, or those of a stand-in for tests.
  package struct Address: Sendable {
    package var hosts: [APNsConfiguration.Environment: String]
    package var trust: NIOSSLTrustRoots

    package init(hosts: [APNsConfiguration.Environment: String], trust: NIOSSLTrustRoots) {
      self.hosts = hosts
      self.trust = trust
    }

    package static let apple = Address(
      hosts: Dictionary(uniqueKeysWithValues: APNsConfiguration.Environment.allCases.map { ($0, $0.host) }),
      trust: .default)
  }

  package let name = "apns"

  private let configuration: APNsConfiguration
  private let address: Address
  private let token: ProviderToken
  private let clock: @Sendable () -> Date
  private let client: OutgoingClient

  /// The paths of tokens that belong to the environment that is not tried first. Forgetting one costs an extra request.
  private let elsewhere = Locked<Set<String>>([])
  private static let mostRemembered = 10_000

  /// Longest device token, in hexadecimal digits. Apple states no limit; today's tokens have 64 or 160.
  private static let longestToken = 400

  package init(
    _ configuration: APNsConfiguration, clock: @escaping @Sendable () -> Date, address: Address = .apple,
    timeouts: Timeouts = Timeouts()
  ) {
    self.configuration = configuration
    self.address = address
    self.clock = clock
    token = ProviderToken(configuration: configuration, clock: clock)
    client = OutgoingClient(trust: address.trust, timeouts: timeouts)
  }

  // MARK: RemotePushService

  /// The token in lower case, once its form is checked.
  package func address(forToken token: String) throws(PushSendError) -> String {
    guard token.utf8.count.isMultiple(of: 2), (2...Self.longestToken).contains(token.utf8.count),
      token.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else {
      throw PushSendError(
        "a device token of APNs has an even number of hexadecimal digits, at most \(Self.longestToken)")
    }
    return token.lowercased()
  }

  package func lane(ofToken token: String) -> String { "" }

  package func send(_ notice: PushNotice, toToken token: String, device: String) async -> PushSendOutcome {
    let path: String
    let body: [UInt8]
    do throws(PushSendError) {
      path = "/3/device/\(try address(forToken: token))"
      body = try APNsPayload.bytes(notice)
    } catch { return .failed(error.description) }
    let outgoing = Outgoing(path: path, headers: headers(notice, device: device), body: body)
    let first =
      elsewhere.withLock { $0.contains(path) } ? configuration.environment.other : configuration.environment
    var verdict = await send(outgoing, in: first)
    if case .unknownToken = verdict {
      verdict = await send(outgoing, in: first.other)
      if verdict == .outcome(.sent) { remember(path, isElsewhere: first.other != configuration.environment) }
    }
    switch verdict {
    case .outcome(let outcome): return outcome
    case .expiredSender(let text): return .failed("\(text) to a new token: check this server's clock")
    case .unknownToken(let text): return .retired("\(text) in both environments")
    }
  }

  package func close() async { await client.close() }

  // MARK: Requests

  private struct Outgoing {
    let path: String
    let headers: [(String, String)]
    let body: [UInt8]
  }

  /// Sends one request, and repeats it with a new token if Apple called the sender's token expired.
  private func send(_ outgoing: Outgoing, in environment: APNsConfiguration.Environment) async
    -> APNsAnswer.Verdict
  {
    do {
      let text = try await token.text()
      let verdict = try await post(outgoing, to: environment, authorization: text).verdict
      guard case .expiredSender = verdict, let fresh = try await token.text(after: text) else {
        return verdict
      }
      return try await post(outgoing, to: environment, authorization: fresh).verdict
    } catch {
      return .outcome(.retry("APNs could not be reached: \(OutgoingClient.text(error))"))
    }
  }

  private func post(
    _ outgoing: Outgoing, to environment: APNsConfiguration.Environment, authorization: String
  ) async throws -> APNsAnswer {
    let request = HTTPClientRequest(
      .POST, (address.hosts[environment] ?? environment.host) + outgoing.path,
      HTTPHeaders(outgoing.headers + [("authorization", "bearer \(authorization)")]), body: outgoing.body)
    let answer = try await client.execute(request, bodyLimit: APNsAnswer.maximumBytes)
    return APNsAnswer(
      status: answer.status, body: answer.body,
      retryAfter: RetryAfter.seconds(answer.headers.first(name: "retry-after"), now: clock()))
  }

  /// The headers of a message. A repeated message, after a lost answer, has the same ids and shows once.
  private func headers(_ notice: PushNotice, device: String) -> [(String, String)] {
    [
      ("apns-topic", configuration.topic), ("apns-push-type", "alert"), ("apns-priority", "10"),
      ("apns-expiration", String(Int64(notice.expiresAt.timeIntervalSince1970))),
      ("apns-id", Self.uuid(notice.messageID, device)),
      ("apns-collapse-id", Base64URL.encode(SHA256.hash(data: Data(notice.messageID.utf8)))),
      ("content-type", "application/json"),
    ]
  }

  /// A version 8 UUID (RFC 9562 §5.8) from message and device.
  private static func uuid(_ message: String, _ device: String) -> String {
    var bytes = Array(SHA256.hash(data: Data("\(message)\n\(device)".utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString.lowercased() }
  }

  private func remember(_ path: String, isElsewhere: Bool) {
    elsewhere.withLock { paths in
      paths.remove(path)
      guard isElsewhere else { return }
      if paths.count >= Self.mostRemembered { paths.removeAll() }
      paths.insert(path)
    }
  }
}
