import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import SSHFormats
import StrictJSON

/// A server that has nothing but an authority for SSH, and certifies as a test says, honest or not.
final class ScriptedAuthority: Sendable {
  /// What it is about to certify and to say of it.
  struct Issue {
    var key: [UInt8]
    var kind = SSHCertificate.Kind.user
    var principals = ["mira"]
    /// What the answer says beside the certificate.
    var told: [String]?
    var seconds = -60..<600
    /// `ssh-keygen -s` makes such ones unless it is told a time.
    var isForever = false
    var authority: P256.Signing.PrivateKey
    /// Instead of a certificate.
    var line: String?
    /// A refusal instead.
    var refusal: (status: Int, body: JSONValue)?
  }

  struct State {
    var requests: [String] = []
    var bodies: [JSONValue] = []
    var isSignedIn = true
    var requiresAttestation = false
    /// That of certificates, in seconds; `nil` for a realm without an authority.
    var lifetime: Int64? = 600
    var change: @Sendable (inout Issue) -> Void = { _ in }
    /// The keys that it presents, instead of its own.
    var userKeys: [P256.Signing.PrivateKey]?
    var hostKeys: [P256.Signing.PrivateKey]?
  }

  let key = P256.Signing.PrivateKey()
  let hostKey = P256.Signing.PrivateKey()
  let state = Locked(State())
  private let listener: LoopbackListener

  init() throws {
    listener = try LoopbackListener()
    Thread.detachNewThread { [self] in
      while let connection = listener.accept() {
        Thread.detachNewThread { [self] in
          answer(connection)
          close(connection)
        }
      }
    }
  }

  func stop() { listener.stop() }

  var address: String { "http://127.0.0.1:\(listener.port)/am" }

  /// How often it was asked for a certificate.
  var asked: Int { state.withLock { $0.requests.filter { $0.contains("_action=certify") }.count } }

  static func line(_ key: P256.Signing.PrivateKey) -> String {
    (try? SSHPublicKey(point: Array(key.publicKey.x963Representation))).map {
      AuthorizedKey(key: $0, comment: "").line
    } ?? ""
  }

  private func answer(_ connection: Int32) {
    var bytes: [UInt8] = []
    var head: [Substring] = []
    var rest = 0
    while true {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes += buffer[..<count]
      if head.isEmpty, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let length = head.first { $0.lowercased().hasPrefix("content-length:") }
        rest =
          end.upperBound
          + (length.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0)
      }
      if !head.isEmpty, bytes.count >= rest { break }
    }
    let start = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
    let body = (try? JSONValue(parsing: Array(bytes[start...]))) ?? .null
    let path = String(head[0].split(separator: " ")[1])
    state.withLock {
      $0.requests.append(path)
      $0.bodies.append(body)
    }
    let (status, json) = reply(path, body)
    let text = json.text
    let response =
      "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
    _ = Array(response.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
  }

  private func reply(_ path: String, _ body: JSONValue) -> (Int, JSONValue) {
    let state = state.withLock { $0 }
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    switch last {
    case "*": return (200, ["cookieName": "iPlanetDirectoryPro"])
    case "sessions?_action=validate": return (200, ["valid": .bool(state.isSignedIn)])
    case "ssh":
      guard let lifetime = state.lifetime else { return (404, ["message": "There is no authority."]) }
      return (
        200,
        [
          "userAuthority": .array((state.userKeys ?? [key]).map { .string(Self.line($0)) }),
          "hostAuthority": .array((state.hostKeys ?? [hostKey]).map { .string(Self.line($0)) }),
          "journey": "SignIn", "authLevel": 2, "attested": .bool(state.requiresAttestation),
          "lifetime": .integer(lifetime),
        ]
      )
    case "ssh?_action=challenge":
      return (200, ["challenge": .string(PaddedBase64.encode([UInt8](repeating: 7, count: 32)))])
    case "ssh?_action=certify": return certify(body, state.change)
    default: return (404, ["message": "There is nothing."])
    }
  }

  private func certify(_ body: JSONValue, _ change: (inout Issue) -> Void) -> (Int, JSONValue) {
    guard let line = body["publicKey"]?.stringValue, let asked = try? AuthorizedKey(parsing: line) else {
      return (400, ["message": "There is no key."])
    }
    var issue = Issue(key: asked.key.blob, authority: key)
    change(&issue)
    if let refusal = issue.refusal { return refusal }
    let told = JSONValue.array((issue.told ?? issue.principals).map { .string($0) })
    if let line = issue.line { return (201, ["certificate": .string(line), "principals": told]) }
    guard let certificate = try? Self.certificate(issue) else { return (500, .null) }
    return (201, ["certificate": .string(certificate.line(comment: "x")), "principals": told])
  }

  static func certificate(_ issue: Issue) throws -> SSHCertificate {
    let now = Int(Date().timeIntervalSince1970)
    let contents = try SSHCertificate.Contents(
      nonce: SystemRandom.bytes(32), key: HostKey(parsing: issue.key), serial: 1, kind: issue.kind,
      identifier: "mira", principals: issue.principals,
      validity: issue.isForever
        ? 0 ..< .max : UInt64(now + issue.seconds.lowerBound)..<UInt64(now + issue.seconds.upperBound))
    let authority = try SSHPublicKey(point: Array(issue.authority.publicKey.x963Representation))
    return try Blocking.run {
      try await SSHCertificate(issuing: contents, by: authority) {
        Array(try issue.authority.signature(for: $0).rawRepresentation)
      }
    }
  }
}
