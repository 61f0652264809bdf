import BindingFormats
import Bytes
import Foundation

/// A link of the sign-in page to this computer's key: `sealring://sign?server=…&realm=…&id=…&challenge=…&timeout=…`, with `user` where the
/// server knows who it is, and `transaction` where there is one.
///
/// Any web page can open such a link. It is a question, never an order: nothing in it is believed that the person does not see, and the
/// answer goes to the server that the key belongs to, not to the sender of the link.
struct SigningLink: Equatable {
  /// The server's base address.
  let server: String
  let realm: String

  /// By which the page that asked knows the answer: 32 hexadecimal digits.
  let id: String
  let challenge: String

  /// The server's id of the user; `nil` when the key says who it is.
  let userID: String?

  /// JSON, as the server sent it.
  let transaction: String?

  /// Seconds.
  let timeout: Int

  /// In bytes. A transaction's fields take the most.
  static let longest = 32 << 10

  /// What is wrong with a link, as the end of a sentence about it.
  struct Fault: Error, Equatable { let problem: String }

  /// - Throws: ``Fault`` for anything that is not exactly such a link.
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

  /// Whether the web address is a server's: without a name before the host, which could pass for the host, and nothing behind the path.
  private static func isPlain(_ address: String) -> Bool {
    guard let url = URLComponents(string: address), ["http", "https"].contains(url.scheme),
      url.host?.isEmpty == false
    else { return false }
    return url.user == nil && url.password == nil && url.query == nil && url.fragment == nil
      && address.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 32 }
  }

  /// The step that the link asks to answer, as the server sends it to devices.
  var callback: [String: Any] {
    var outputs: [[String: Any]] = [
      ["name": "userId", "value": userID ?? ""], ["name": "challenge", "value": challenge],
      ["name": "timeout", "value": timeout],
    ]
    if let transaction {
      // What cannot be read is refused by the callback: there is then a transaction, and it cannot be shown.
      let object = (try? JSONSerialization.jsonObject(with: Data(transaction.utf8))) ?? transaction
      outputs.append(["name": BindingField.transaction, "value": object])
    }
    return [
      "type": "DeviceSigningVerifierCallback", "output": outputs,
      "input": ["jws", "clientError"].map { ["name": "IDToken1\($0)", "value": ""] },
    ]
  }

  /// The server's sign-in page with the answer. Browsers keep what is behind the "#" to themselves.
  func answerAddress(jws: String) -> String {
    "\(server)/XUI/?realm=\(PercentEncoding.encode(realm))#id=\(id)&signed=\(PercentEncoding.encode(jws))"
  }
}
