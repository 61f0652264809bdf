import BenchmarkServer
import Bytes
import Crypto
import Foundation
import JOSE
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
  var fields: String {
    "Content-Type: application/json\r\nAccept-API-Version: resource=2.1, protocol=1.0\r\n"
  }

  func third(_ device: Fleet.Device, after answer: [UInt8]) -> (path: String, body: [UInt8])? { nil }
}

struct SealringDialogue: Dialogue {
  func first(_ device: Fleet.Device) -> (path: String, body: [UInt8]) {
    (
      "/am/json/realms/root/realms/alpha/authenticate?authIndexType=service&authIndexValue=SignIn",
      Array("{}".utf8)
    )
  }

  func second(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8]) {
    var step = try JSONValue(parsing: answer)
    guard var root = step.objectValue, var callback = root["callbacks"]?[0]?.objectValue,
      let outputs = callback["output"]?.arrayValue,
      let challenge = outputs.first(where: { $0["name"] == "challenge" })?["value"]?.stringValue
    else { throw BenchError("no challenge in \(step)") }
    let now = Int64(Date().timeIntervalSince1970)
    let claims: JSONValue = [
      "sub": .string("id=\(device.username),ou=user,o=alpha,ou=services,ou=am-config"),
      "iss": "com.sealring.cli",
      "challenge": .string(challenge), "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 60),
      "platform": "linux",
    ]
    let header: JSONValue = ["typ": "JWS", "alg": "ES256", "kid": .string(device.kid)]
    let input = Base64URL.encode(header.serialized) + "." + Base64URL.encode(claims.serialized)
    let signature = try device.key.signature(for: Data(input.utf8)).rawRepresentation
    callback["input"] = [
      ["name": "IDToken1jws", "value": .string(input + "." + Base64URL.encode(signature))],
      ["name": "IDToken1clientError", "value": ""],
    ]
    root["callbacks"] = [.object(callback)]
    step = .object(root)
    return ("/am/json/realms/root/realms/alpha/authenticate", step.serialized)
  }

  func succeeded(_ answer: [UInt8]) -> Bool {
    (try? JSONValue(parsing: answer))?["tokenId"]?.stringValue?.isEmpty == false
  }
}

/// A person who signs in by the journey `Login`, with name and password: another one each time.
struct PasswordDialogue: Dialogue {
  static let password = "a benchmark's password"

  /// People are `user0`, `user1` and so on, or have another word before their number.
  let people: Int
  var word = "user"

  func first(_ device: Fleet.Device) -> (path: String, body: [UInt8]) {
    (
      "/am/json/realms/root/realms/alpha/authenticate?authIndexType=service&authIndexValue=Login",
      Array("{}".utf8)
    )
  }

  func second(_ device: Fleet.Device, after answer: [UInt8]) throws -> (path: String, body: [UInt8]) {
    guard var root = try JSONValue(parsing: answer).objectValue,
      let callbacks = root["callbacks"]?.arrayValue,
      callbacks.count == 2
    else { throw BenchError("no page for name and password: \(String(decoding: answer, as: UTF8.self))") }
    let answers = ["\(word)\(Int.random(in: 0..<people))", Self.password]
    root["callbacks"] = .array(
      callbacks.enumerated().map { index, callback in
        var callback = callback.objectValue ?? JSONObject()
        callback["input"] = [
          ["name": .string("IDToken\(index + 1)"), "value": .string(answers[index])]
        ]
        return .object(callback)
      })
    return ("/am/json/realms/root/realms/alpha/authenticate", JSONValue.object(root).serialized)
  }

  func succeeded(_ answer: [UInt8]) -> Bool { SealringDialogue().succeeded(answer) }
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
    let signature = try device.key.signature(for: Data(Self.signed.utf8)).rawRepresentation
    let body = Self.message(
      key: device.key.publicKey.x963Representation.base64EncodedString(),
      signature: signature.base64EncodedString())
    return ("/finish", body.serialized)
  }

  func succeeded(_ answer: [UInt8]) -> Bool {
    (try? JSONValue(parsing: answer))?["callbacks"]?[0]?["type"] != nil
  }
}
