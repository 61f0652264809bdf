internal import Bytes
internal import Concurrency
internal import JourneyNodes
internal import PushTransports
internal import WebAddresses

/// What scripts and nodes of journeys send to other hosts: to listed ones, without redirects, within limits.
struct ScriptHTTPClient: ScriptHTTP {
  let hosts: ScriptHosts
  var client = CheckedClient()

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// Headers that say where a message ends or goes: the client's own.
  private static let own: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
    "expect", "proxy-authorization", "proxy-connection",
  ]

  /// Longest request and answer, in bytes; both fit a message of a worker.
  private static let longest = 256 << 10

  /// Requests under way at once. Scripts have few workers; nodes would have as many as there are journeys.
  static let mostAtOnce = 64
  private let underWay = Locked(0)

  /// Why a request was not sent.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  func send(
    _ method: String, _ url: String, headers: [String: String], body: [UInt8]?, realm: String,
    within time: Duration?
  ) async throws -> ScriptHTTPAnswer {
    guard let origin = WebOrigin(address: url), url.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else {
      throw Refusal(description: "the address is not a plain http or https address")
    }
    guard let allowsPrivate = hosts.allowance(for: origin, realm: realm) else {
      throw Refusal(
        description:
          "\(origin) is not in the list of hosts that journeys may reach (--script-host)")
    }
    let method = method.uppercased()
    guard Self.methods.contains(method) else {
      throw Refusal(
        description: "the method is not one of \(Self.methods.sorted().joined(separator: ", "))")
    }
    guard (body?.count ?? 0) <= Self.longest else {
      throw Refusal(description: "the request is longer than \(Self.longest) bytes")
    }
    var sent: [String: String] = [:]
    for (name, value) in headers where !Self.own.contains(name.lowercased()) {
      guard Self.isToken(name), value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      else {
        throw Refusal(description: "a header's name or value has characters that cannot be sent")
      }
      sent[name] = value
    }
    let isFull = underWay.withLock { count in
      guard count < Self.mostAtOnce else { return true }
      count += 1
      return false
    }
    guard !isFull else { throw Refusal(description: "\(Self.mostAtOnce) requests are under way already") }
    defer { underWay.withLock { $0 -= 1 } }
    let answer = try await client.send(
      method, url, of: origin, headers: sent, body: body,
      allowsPrivate: allowsPrivate, limit: Self.longest, answering: time.map { max(1, $0.components.seconds) }
    )
    return ScriptHTTPAnswer(
      status: answer.status, reason: answer.reason, headers: answer.headers,
      body: String(decoding: answer.body, as: UTF8.self))
  }

  /// A field name (RFC 9110 §5.6.2).
  private static func isToken(_ name: String) -> Bool {
    (1...256).contains(name.utf8.count) && name.utf8.allSatisfy(\.isTokenCharacter)
  }
}
