import CBOR
import Crypto
import Foundation
import KeyAttestation
import WebAuthnFormats
import WebAuthnVerification

/// A client's answer to a registration and the server that judges it. As made, all is well; a test changes one thing.
struct RegistrationScenario: Sendable {
  let key = P256.Signing.PrivateKey()
  var challenge = [UInt8](repeating: 0xC4, count: 32)
  var policy = RegistrationVerifier.Policy(
    relyingParty: RelyingParty(id: "example.com", origins: OriginPolicy(["https://example.com"])),
    algorithms: [.es256], userVerification: .required)

  var client = ClientScenario(type: "webauthn.create")
  var relyingPartyID = "example.com"
  var flags: UInt8 = 0x45
  var aaguid = AAGUID.zero
  var credentialID = [UInt8](repeating: 0x1D, count: 16)

  /// The key as the authenticator data has it.
  var changesKey: @Sendable (inout CBORMap) -> Void = { _ in }
  var changesData: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  /// Makes the statement about the data and the client data's hash.
  var statement:
    @Sendable (RegistrationScenario, _ data: [UInt8], _ hash: [UInt8]) async throws -> Statement = {
      scenario, data, hash in
      Statement(
        "packed",
        ["alg": -7, "sig": .bytes(try Array(scenario.key.signature(for: data + hash).derRepresentation))])
    }
  var changesObject: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  var changesClientData: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  /// The id that the answer names, when it is not the attested one.
  var namedID: [UInt8]?
  var time = testTime

  struct Statement: Sendable {
    let format: String
    let members: CBORMap

    init(_ format: String, _ members: CBORMap) {
      self.format = format
      self.members = members
    }
  }

  var publicKey: COSEKey {
    get throws { try COSEKey(key.publicKey) }
  }

  func response() async throws -> RegistrationResponse {
    var members = try publicKey.cbor.mapValue ?? [:]
    changesKey(&members)
    let json = client.json(challenge: challenge)
    let credential =
      aaguid.bytes + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID
      + CBORValue.map(members).encoded
    let data = changesData(
      Array(SHA256.hash(data: Array(relyingPartyID.utf8))) + [flags, 0, 0, 0, 0]
        + (flags & 0x40 != 0 ? credential : []))
    let statement = try await statement(self, data, Array(SHA256.hash(data: json)))
    let object = AttestationObject(
      format: statement.format, statement: statement.members, authenticatorData: data)
    return RegistrationResponse(
      clientDataJSON: changesClientData(json), attestationObject: changesObject(object.encoded),
      credentialID: namedID ?? credentialID)
  }

  func verify() async throws -> VerifiedRegistration {
    let time = time
    return try await RegistrationVerifier(policy, clock: { time }).verify(response(), challenge: challenge)
  }
}

/// What the client says of where it runs.
struct ClientScenario: Sendable {
  var type: String
  var origin = "https://example.com"
  var crossOrigin: Bool?
  var topOrigin: String?

  /// The challenge, when it is not the one that was sent.
  var challenge: String?

  func json(challenge sent: [UInt8]) -> [UInt8] {
    let sent = ClientData(.get, challenge: sent, origin: "").challenge
    var text = #"{"type":"\#(type)","challenge":"\#(challenge ?? sent)","origin":"\#(origin)""#
    if let crossOrigin { text += #","crossOrigin":\#(crossOrigin)"# }
    if let topOrigin { text += #","topOrigin":"\#(topOrigin)""# }
    return Array((text + "}").utf8)
  }
}

extension COSEKey {
  init(_ key: P256.Signing.PublicKey) throws {
    let point = Array(key.rawRepresentation)
    try self.init(.ec(.p256, x: Array(point[..<32]), y: Array(point[32...])), algorithm: .es256)
  }
}

/// One thing wrong, and the check that finds it.
struct Wrong<Scenario>: Sendable, CustomStringConvertible {
  let description: String
  let check: WebAuthnFailure.Check
  let text: String
  let change: @Sendable (inout Scenario) throws -> Void

  init(
    _ description: String, _ check: WebAuthnFailure.Check, _ text: String = "",
    _ change: @escaping @Sendable (inout Scenario) throws -> Void
  ) {
    self.description = description
    self.check = check
    self.text = text
    self.change = change
  }
}
