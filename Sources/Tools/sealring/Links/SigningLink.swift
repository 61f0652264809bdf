import BindingFormats
import Bytes
import Foundation

/// A link from the sign-in page to this computer's key: `sealring://sign?server=…&realm=…&id=…&challenge=…&timeout=…`, with `user` if the
/// server knows the user, and `transaction` if there is one.
///
/// Any web page can open such a link. It is a question, never an order: nothing in it is trusted unless the person sees it, and the
/// answer goes to the server that the key belongs to, not to the sender of the link.
struct SigningLink: Equatable {
  /// The server's base address.
  let server: String
  let realm: String

  /// The id by which the asking page recognises the answer: 32 hexadecimal digits.
  let id: String
  let challenge: String

  /// The server's id of the user; `nil` when the key identifies the user.
  let userID: String?

  /// The transaction's JSON, as the server sent it.
  let transaction: String?

  /// The time to answer, in seconds.
  let timeout: Int

  /// Longest link in bytes. A transaction's fields take the most.
  static let longest = 32 << 10

  /// The problem with a link, as the end of a sentence about it.
  struct Fault: Error, Equatable { let problem: String }

  /// - Throws: ``Fault`` for any other text.
  init(parsing text: String) throws(Fault) {
    func wrong(_ problem: String) -> Fault { Fault(problem: problem) }
    guard text.utf8.count <= Self.longest else { throw wrong("it is longer than \(Self.longest) bytes") }
    guard let url = URLComponents(string: text), url.scheme?.lowercased() == "sealring" else {
      throw wrong("it does not begin with sealring:")
    }
    guard url.host == "sign", url.path.isEmpty, url.fragment == nil, url.user == nil, url.port == nil else {
      throw wrong("it asks for something that this version does not know")
    }
    var values: [String: String] = [:]
    for item in url.queryItems ?? [] {
      guard Self.names.contains(item.name), let value = item.value, !value.isEmpty else {
        throw wrong("it has a part that this version does not know")
      }
      guard values.updateValue(value, forKey: item.name) == nil else {
        throw wrong("it says something twice")
      }
    }
    guard let server = values["server"], let realm = values["realm"], let id = values["id"],
      let challenge = values["challenge"]
    else { throw wrong("it lacks the server, the realm, the id or the challenge") }
    guard Self.isPlain(server) else { throw wrong("its server is not a web address") }
    guard id.utf8.count == 32, id.utf8.allSatisfy(Hexadecimal.isLowercaseDigit) else {
      throw wrong("its id is malformed")
    }
    let timeout = values["timeout"].map { Int($0) ?? 0 } ?? 30
    guard (1...3600).contains(timeout) else { throw wrong("its time limit is malformed") }
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.realm = realm
    self.id = id
    self.challenge = challenge
    userID = values["user"]
    transaction = values["transaction"]
    self.timeout = timeout
  }

  private static let names: Set<String> = [
    "server", "realm", "id", "challenge", "user", "transaction", "timeout",
  ]

  /// Whether this is a plain server address: without a user before the host, which could pass for the host, and without query and
  /// fragment.
  private static func isPlain(_ address: String) -> Bool {
    guard let url = URLComponents(string: address), ["http", "https"].contains(url.scheme),
      url.host?.isEmpty == false
    else { return false }
    return url.user == nil && url.password == nil && url.query == nil && url.fragment == nil
      && address.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 32 }
  }

  /// The callback that the link asks to answer, in the form that the server sends to devices.
  var callback: [String: Any] {
    var outputs: [[String: Any]] = [
      ["name": "userId", "value": userID ?? ""], ["name": "challenge", "value": challenge],
      ["name": "timeout", "value": timeout],
    ]
    if let transaction {
      // The callback refuses an unreadable transaction: there is one, but it cannot be shown.
      let object = (try? JSONSerialization.jsonObject(with: Data(transaction.utf8))) ?? transaction
      outputs.append(["name": BindingField.transaction, "value": object])
    }
    return [
      "type": "DeviceSigningVerifierCallback", "output": outputs,
      "input": ["jws", "clientError"].map { ["name": "IDToken1\($0)", "value": ""] },
    ]
  }

  /// The address of the server's sign-in page with the answer. Browsers do not send the part after the "#".
  func answerAddress(jws: String) -> String {
    "\(server)/XUI/?realm=\(PercentEncoding.encode(realm))#id=\(id)&signed=\(PercentEncoding.encode(jws))"
  }
}
