import BenchmarkServer
import Bytes
import Crypto
import Foundation
import JourneyDriving
import StrictJSON
import Synchronization

/// A device that is bound: name, challenge, proof. Another account each time, whose devices nobody has counted yet.
struct BindingDialogue: JourneyDialogue {
  let journey = "Bench"

  /// The accounts are `other1`, `other2` and so on (``Growth``), each for one device: an account may have few.
  let accounts: Int

  private let turn = Turn()

  private final class Turn: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
      last.withLock {
        $0 += 1
        return $0
      }
    }
  }

  /// Asks for no password: a password's hash costs more than all the rest, on purpose.
  static let file = """
    {"nodes": {
      "name": {"_id": "name", "_type": {"_id": "UsernameCollectorNode"}},
      "bind": {"_id": "bind", "_type": {"_id": "DeviceBindingNode"}, "authenticationType": "NONE",
        "applicationIds": ["com.sealring.cli"]}},
     "tree": {"_id": "Bench", "entryNodeId": "name", "nodes": {
      "name": {"nodeType": "UsernameCollectorNode", "displayName": "Name", "connections": {"outcome": "bind"}},
      "bind": {"nodeType": "DeviceBindingNode", "displayName": "Bind", "connections": {
        "success": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "failure": "e301438c-0bd0-429c-ab0c-66126501069a",
        "Abort": "e301438c-0bd0-429c-ab0c-66126501069a", "Timeout": "e301438c-0bd0-429c-ab0c-66126501069a",
        "Unsupported": "e301438c-0bd0-429c-ab0c-66126501069a",
        "ClientNotRegistered": "e301438c-0bd0-429c-ab0c-66126501069a"}}}}}
    """

  func answer(_ page: inout JourneyPage, _ device: Fleet.Device) throws {
    let number = turn.next()
    guard number <= accounts else {
      throw BenchError("there are \(accounts) accounts, and all have a device")
    }
    try page.set(.string("other\(number)"), of: 0)
  }

  func third(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8])? {
    try reply(to: answer) { page in
      _ = try page.bind(0, as: "bench", by: SealringDialogue.application, at: Date())
    }
  }
}

/// A client that gets an access token (`client_credentials`, a signed JWT) and asks whether it is good.
struct TokenDialogue: Dialogue {
  private static let secret = "a-benchmarks-client-secret"

  static var file: String {
    let hash = Base64URL.encode(Array(SHA256.hash(data: Data(secret.utf8))))
    return """
      {"clients": [{"client_id": "bench", "client_secret_sha256": "\(hash)",
        "grant_types": ["client_credentials"], "scope": "read"}]}
      """
  }

  private static let credentials = Data("bench:\(secret)".utf8).base64EncodedString()
  private static let path = "/am/oauth2/realms/root/realms/alpha/"

  var fields: String {
    "Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Basic \(Self.credentials)\r\n"
  }

  func first(_ device: Fleet.Device) -> (path: String, body: [UInt8]) {
    (Self.path + "access_token", Array("grant_type=client_credentials&scope=read".utf8))
  }

  func second(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8]) {
    guard let token = try JSONValue(parsing: answer)["access_token"]?.stringValue else {
      throw BenchError("no token: \(String(decoding: answer, as: UTF8.self))")
    }
    return (Self.path + "introspect", Array("token=\(token)".utf8))
  }

  func succeeded(_ answer: [UInt8]) -> Bool {
    (try? JSONValue(parsing: answer))?["active"]?.boolValue == true
  }
}

/// Somebody who begins two journeys and answers neither.
struct OpenJourneyDialogue: Dialogue {
  func first(_ device: Fleet.Device) -> (path: String, body: [UInt8]) { SealringDialogue().first(device) }

  func second(_ device: Fleet.Device, after answer: [UInt8]) -> (path: String, body: [UInt8]) {
    first(device)
  }

  func succeeded(_ answer: [UInt8]) -> Bool { (try? JSONValue(parsing: answer))?["authId"] != nil }
}
