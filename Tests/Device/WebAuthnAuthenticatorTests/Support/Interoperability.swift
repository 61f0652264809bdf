import Bytes
import Foundation
import StrictJSON
import Testing
import WebAuthnAuthenticator
import WebAuthnFormats

/// What two other implementations make of our answers: python `fido2` and `webauthn`, which `scripts/verifiers` installs.
enum Interoperability {
  static func check(
    _ ceremonies: [(MadeCredential, AuthenticatorAssertion)], root: [UInt8]? = nil, in folder: URL
  ) throws {
    var json: JSONObject = [
      "rpId": .string(Server.id), "origin": .string(Server.origin),
      "challenge": .string(Base64URL.encode(Server.challenge)),
      "ceremonies": .array(
        ceremonies.map { made, assertion in
          [
            "id": .string(made.source.credentialID), "format": .string(made.attestationObject.format),
            "clientDataCreate": .string(Base64URL.encode(Server.created.json)),
            "attestationObject": .string(Base64URL.encode(made.attestationObject.encoded)),
            "clientDataGet": .string(Base64URL.encode(Server.gotten.json)),
            "authenticatorData": .string(Base64URL.encode(assertion.authenticatorData.encoded)),
            "signature": .string(Base64URL.encode(assertion.signature)),
          ]
        }),
    ]
    json["root"] = root.map { .string(Base64URL.encode($0)) }
    let file = folder.appending(path: "ceremonies.json")
    try Data(json.serialized).write(to: file)

    let repository = URL(filePath: #filePath).appending(path: "../../../../..").standardized
    let python = repository.appending(path: ".build/verifiers/bin/python")
    try #require(
      FileManager.default.isExecutableFile(atPath: python.path), "Run scripts/verifiers, which installs them."
    )
    let process = Process()
    process.executableURL = python
    process.arguments = [
      repository.appending(path: "Tests/Interoperability/webauthn_authenticator.py").path, file.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
  }
}
