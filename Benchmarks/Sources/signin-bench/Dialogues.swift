import BenchmarkServer
import Crypto
import Foundation
import JourneyDriving
import StrictJSON

/// What a client sends in the two or three requests of what is measured.
protocol Dialogue: Sendable {
  /// The header fields of each request beside those of every HTTP request, each with its line's end.
  var fields: String { get }

  /// Body and path of the first request.
  func first(_ device: Fleet.Device) throws -> (path: String, body: [UInt8])

  /// Body and path of the second request, from the answer to the first one. Signs.
  func second(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8])

  /// Body and path of a third request, from the answer to the second one; `nil` when there is none.
  func third(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8])?

  /// Whether the last answer is a success.
  func succeeded(_ answer: [UInt8]) -> Bool
}

extension Dialogue {
  var fields: String { HTTPAnswer.jsonFields }

  func third(_ device: Fleet.Device, after answer: [UInt8]) -> (path: String, body: [UInt8])? { nil }
}

/// A journey of pages.
protocol JourneyDialogue: Dialogue {
  var journey: String { get }

  /// Answers the first page.
  func answer(_ page: inout JourneyPage, _ device: Fleet.Device) throws
}

extension JourneyDialogue {
  private var path: String { "/am/json/realms/root/realms/alpha/authenticate" }

  func first(_ device: Fleet.Device) -> (path: String, body: [UInt8]) {
    ("\(path)?authIndexType=service&authIndexValue=\(journey)", Array("{}".utf8))
  }

  func second(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8]) {
    try reply(to: answer) { try self.answer(&$0, device) }
  }

  /// The page that `answer` is, with what `fill` has filled in.
  func reply(
    to answer: [UInt8], _ fill: (inout JourneyPage) throws -> Void
  ) throws -> (path: String, body: [UInt8]) {
    var page = try JourneyPage(JSONValue(parsing: answer))
    try fill(&page)
    return (path, page.body)
  }

  func succeeded(_ answer: [UInt8]) -> Bool {
    (try? JSONValue(parsing: answer))?["tokenId"]?.stringValue?.isEmpty == false
  }
}

struct SealringDialogue: JourneyDialogue {
  static let application = "com.sealring.cli"

  let journey = "SignIn"

  func answer(_ page: inout JourneyPage, _ device: Fleet.Device) throws {
    try page.sign(0, with: device.key, by: Self.application, at: Date())
  }
}

/// A person who signs in by the journey `Login`, with name and password: another one each time.
struct PasswordDialogue: JourneyDialogue {
  static let password = "a benchmark's password"

  let journey = "Login"

  /// People are `user0`, `user1` and so on, or have another word before their number.
  let people: Int
  var word = "user"

  func answer(_ page: inout JourneyPage, _ device: Fleet.Device) throws {
    try page.set(.string("\(word)\(Int.random(in: 0..<people))"), of: 0)
    try page.set(.string(Self.password), of: 1)
  }
}

/// The same work on the device's side: read the answer, sign 320 bytes, send 1,024.
struct BareDialogue: Dialogue {
  private static let signed = String(repeating: "s", count: 320)

  private static func message(key: String, signature: String) -> JSONValue {
    let message: JSONValue = [
      "authId": .string(String(repeating: "a", count: 349)),
      "callbacks": [
        [
          "type": "DeviceSigningVerifierCallback",
          "output": [["name": "challenge", "value": .string(signed)]],
          "input": [
            ["name": "key", "value": .string(key)], ["name": "signature", "value": .string(signature)],
          ],
        ]
      ],
    ]
    return message
  }

  func first(_ device: Fleet.Device) -> (path: String, body: [UInt8]) {
    (
      "/start",
      Self.message(key: String(repeating: "k", count: 88), signature: String(repeating: "s", count: 88))
        .serialized
    )
  }

  func second(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8]) {
    guard try JSONValue(parsing: answer)["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue == Self.signed
    else {
      throw BenchError("the bare server answered \(String(decoding: answer, as: UTF8.self))")
    }
    let signature = try device.key.key.signature(for: Data(Self.signed.utf8)).rawRepresentation
    let body = Self.message(
      key: device.key.key.publicKey.x963Representation.base64EncodedString(),
      signature: signature.base64EncodedString())
    return ("/finish", body.serialized)
  }

  func succeeded(_ answer: [UInt8]) -> Bool {
    (try? JSONValue(parsing: answer))?["callbacks"]?[0]?["type"] != nil
  }
}
