import CommonFixtures
import CBOR
import Crypto
import Foundation
import KeyAttestation
import SwiftASN1
import Testing
import WebAuthnFormats
import WebAuthnVerification
import X509

/// Statements of certified keys, with certificates made for the test: what is sound is trusted, and each fault is found.
@Suite("Attestations by certified keys")
struct AttestationTests {
  /// A registration whose statement is made by a certified key. As made, all is well; a test changes one thing.
  struct Scenario: Sendable {
    let authority: Authority
    let attestationKey = P256.Signing.PrivateKey()
    var registration = RegistrationScenario()
    var leaf = Authority.Leaf()

    /// The key in the leaf, when it is another one than its format puts there.
    var certifiedKey: P256.Signing.PublicKey?

    /// Of a TPM's key: fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, sign.
    var attributes: UInt32 = 0x0004_0072
    var changesMembers: @Sendable (inout CBORMap) throws -> Void = { _ in }

    init() throws {
      authority = try Authority()
      registration.policy.attestation.conveyance = .direct
      registration.policy.attestation.roots = try TrustAnchors([authority.der])
      registration.policy.attestation.acceptedTypes = [.ca]
    }

    /// - Parameter format: makes members from the data, the client data's hash, and this scenario.
    func verify(_ format: Format) async throws -> VerifiedRegistration {
      var registration = registration
      registration.statement = { registration, data, hash in
        var members = try format.members(self, registration, data, hash)
        try changesMembers(&members)
        return RegistrationScenario.Statement(format.rawValue, members)
      }
      return try await registration.verify()
    }
  }

  enum Format: String, Sendable, CaseIterable {
    case packed
    case u2f = "fido-u2f"
    case apple
    case androidKey = "android-key"
    case tpm

    func members(
      _ scenario: Scenario, _ registration: RegistrationScenario, _ data: [UInt8], _ hash: [UInt8]
    ) throws -> CBORMap {
      var leaf = scenario.leaf
      func certificate(_ key: P256.Signing.PublicKey) throws -> CBORValue {
        [.bytes(try scenario.authority.issue(scenario.certifiedKey ?? key, leaf))]
      }
      func signature(_ bytes: [UInt8], _ key: P256.Signing.PrivateKey) throws -> CBORValue {
        .bytes(Array(try key.signature(for: bytes).derRepresentation))
      }
      let attestationKey = scenario.attestationKey
      switch self {
      case .packed:
        return [
          "alg": -7, "sig": try signature(data + hash, attestationKey),
          "x5c": try certificate(attestationKey.publicKey),
        ]
      case .u2f:
        let message =
          [0] + Array(data[..<32]) + hash + registration.credentialID
          + Array(registration.key.publicKey.x963Representation)
        return [
          "sig": try signature(message, attestationKey), "x5c": try certificate(attestationKey.publicKey),
        ]
      case .apple:
        let nonce = der(0x30, der(0xA1, der(0x04, Array(SHA256.hash(data: data + hash)))))
        leaf.extensions.append(
          Certificate.Extension(oid: [1, 2, 840, 113635, 100, 8, 2], critical: false, value: nonce[...]))
        return ["x5c": try certificate(registration.key.publicKey)]
      case .androidKey:
        if leaf.extensions.isEmpty { leaf.extensions = [Android().certificateExtension(challenge: hash)] }
        return [
          "alg": -7, "sig": try signature(data + hash, registration.key),
          "x5c": try certificate(registration.key.publicKey),
        ]
      case .tpm:
        let area = TPM.publicArea(of: registration.key.publicKey, attributes: scenario.attributes)
        let info = TPM.certifyInfo(extraData: Array(SHA256.hash(data: data + hash)), publicArea: area)
        if leaf.extensions.isEmpty {
          leaf = .withoutSubject
          leaf.extensions = TPM.extensions
        }
        return [
          "ver": "2.0", "alg": -7, "sig": try signature(info, attestationKey), "certInfo": .bytes(info),
          "pubArea": .bytes(area), "x5c": try certificate(attestationKey.publicKey),
        ]
      }
    }
  }

  /// Android's description of a key.
  struct Android: Sendable {
    var level: UInt8 = 1
    var purpose: UInt8 = 2
    var origin: UInt8 = 0
    var isForAll = false
    var challenge: [UInt8]?

    func certificateExtension(challenge sent: [UInt8]) -> Certificate.Extension {
      var list = der(0xA1, der(0x31, [2, 1, purpose]))
      if isForAll { list += [0xBF, 0x84, 0x58, 2, 5, 0] }
      list += [0xBF, 0x85, 0x3E, 3, 2, 1, origin]
      let value = der(
        0x30,
        [2, 1, 4, 0x0A, 1, level, 2, 1, 4, 0x0A, 1, level] + der(0x04, challenge ?? sent) + [4, 0]
          + der(0x30, level == 0 ? list : []) + der(0x30, level == 0 ? [] : list))
      return Certificate.Extension(
        oid: [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17], critical: false, value: value[...])
    }
  }

  enum TPM {
    static let usage = Certificate.Extension(
      oid: [2, 5, 29, 37], critical: false, value: [0x30, 7, 6, 5, 0x67, 0x81, 5, 8, 3])

    /// A directory name with maker, model and version.
    static var name: Certificate.Extension {
      let attributes = (1...3).flatMap { (number: UInt8) in
        der(0x31, der(0x30, [6, 5, 0x67, 0x81, 5, 2, number] + der(0x0C, Array("id:00".utf8))))
      }
      return Certificate.Extension(
        oid: [2, 5, 29, 17], critical: true, value: der(0x30, der(0xA4, der(0x30, attributes)))[...])
    }

    static var extensions: [Certificate.Extension] { [usage, name] }

    static func sized(_ content: [UInt8]) -> [UInt8] { [0, UInt8(content.count)] + content }

    static func publicArea(of key: P256.Signing.PublicKey, attributes: UInt32 = 0x0004_0072) -> [UInt8] {
      let point = Array(key.rawRepresentation)
      let head: [UInt8] = [0, 0x23, 0, 0x0B] + withUnsafeBytes(of: attributes.bigEndian, Array.init)
      return head + [0, 0, 0, 0x10, 0, 0x10, 0, 3, 0, 0x10]
        + sized(Array(point[..<32])) + sized(Array(point[32...]))
    }

    static func certifyInfo(extraData: [UInt8], publicArea: [UInt8], type: UInt8 = 0x17) -> [UInt8] {
      [0xFF, 0x54, 0x43, 0x47, 0x80, type] + sized([]) + sized(extraData)
        + [UInt8](repeating: 0, count: 25) + sized([0, 0x0B] + Array(SHA256.hash(data: publicArea)))
        + sized([])
    }
  }

  @Test(arguments: Format.allCases)
  func `a sound statement is trusted`(format: Format) async throws {
    let scenario = try Scenario()
    let attestation = try await scenario.verify(format).attestation
    #expect(attestation.type == .ca)
    #expect(attestation.format == format.rawValue)
    #expect(attestation.certificates.count == 1)
    #expect(attestation.root?.subject == "CN=Test Root")
  }

  @Test(arguments: Format.allCases)
  func `under another root it is not`(format: Format) async throws {
    var scenario = try Scenario()
    scenario.registration.policy.attestation.roots = try TrustAnchors([Authority().der])
    await expectFailure(.attestationNotTrusted) { [scenario] in _ = try await scenario.verify(format) }
  }

  @Test(arguments: [-7, -35, "ES256"] as [CBORValue])
  func `Apple's statements of 2020 have an algorithm beside their certificates, which is not looked at`(
    algorithm: CBORValue
  ) async throws {
    var scenario = try Scenario()
    scenario.changesMembers = { $0["alg"] = algorithm }
    #expect(try await scenario.verify(.apple).attestation.type == .ca)
    scenario.changesMembers = {
      $0["alg"] = algorithm
      $0["sig"] = .bytes([1])
    }
    await expectFailure(.attestationInvalid, "other members") { [scenario] in
      _ = try await scenario.verify(.apple)
    }
  }

  @Test(arguments: Format.allCases)
  func `critical certificate policies are accepted in each format`(format: Format) async throws {
    var scenario = try Scenario()
    switch format {
    case .tpm:
      scenario.leaf = .withoutSubject
      scenario.leaf.extensions = TPM.extensions
    case .androidKey:
      let registration = scenario.registration
      let hash = Array(SHA256.hash(data: registration.client.json(challenge: registration.challenge)))
      scenario.leaf.extensions = [Android().certificateExtension(challenge: hash)]
    case .packed, .u2f, .apple: break
    }
    scenario.leaf.extensions.append(WindowsHelloTests.Scenario.policies)
    #expect(try await scenario.verify(format).attestation.type == .ca)
  }

  @Test(arguments: [("fixedTPM", 1), ("fixedParent", 4), ("sensitiveDataOrigin", 5)])
  func `a key that a TPM certified and that may exist outside of it is not trusted`(
    name: String, bit: Int
  ) async throws {
    var scenario = try Scenario()
    scenario.attributes &= ~(1 << bit)
    await expectFailure(.attestationNotTrusted, name) { [scenario] in _ = try await scenario.verify(.tpm) }

    // Where no issuer is checked, nothing is proven anyway.
    scenario.registration.policy.attestation.roots = TrustAnchors()
    scenario.registration.policy.attestation.acceptedTypes = [.basic]
    #expect(try await scenario.verify(.tpm).attestation.type == .basic)
  }

  @Test func `a key that also decrypts, as Windows Hello makes it, is trusted`() async throws {
    var scenario = try Scenario()
    scenario.attributes = 0x0006_0472
    #expect(try await scenario.verify(.tpm).attestation.type == .ca)
  }

  @Test func `a revoked certificate is not trusted`() async throws {
    var scenario = try Scenario()
    scenario.registration.policy.attestation.revoked = RevokedSerialNumbers(["02"])
    await expectFailure(.attestationNotTrusted, "revoked") { [scenario] in
      _ = try await scenario.verify(.packed)
    }
  }

  @Test func `a certificate that is itself configured is trusted`() async throws {
    var scenario = try Scenario()
    let leaf = try scenario.authority.issue(scenario.attestationKey.publicKey, scenario.leaf)
    scenario.registration.policy.attestation.roots = try TrustAnchors([leaf])
    scenario.changesMembers = { $0["x5c"] = [.bytes(leaf)] }
    #expect(try await scenario.verify(.packed).attestation.type == .ca)

    scenario.registration.policy.attestation.revoked = RevokedSerialNumbers(["02"])
    await expectFailure(.attestationNotTrusted, "revoked") { [scenario] in
      _ = try await scenario.verify(.packed)
    }
    scenario.registration.time = testTime.addingTimeInterval(7200)
    await expectFailure(.attestationNotTrusted, "not valid") { [scenario] in
      _ = try await scenario.verify(.packed)
    }
  }

  struct Fault: Sendable, CustomStringConvertible {
    let format: Format
    let description: String
    let text: String
    let change: @Sendable (inout Scenario) throws -> Void

    init(
      _ format: Format, _ description: String, _ text: String,
      _ change: @escaping @Sendable (inout Scenario) throws -> Void
    ) {
      self.format = format
      self.description = description
      self.text = text
      self.change = change
    }
  }

  static let model: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]

  static let faults: [Fault] = [
    Fault(.packed, "another unit", "unit (OU)") { $0.leaf.unit = "Authenticator Attestations" },
    Fault(.packed, "no unit", "unit (OU)") { $0.leaf.unit = nil },
    Fault(.packed, "no country", "country (C)") { $0.leaf.country = nil },
    Fault(.packed, "no organisation", "organisation (O)") { $0.leaf.organization = nil },
    Fault(.packed, "no name", "name (CN)") { $0.leaf.name = nil },
    Fault(.packed, "an authority", "basic constraints") { $0.leaf.isAuthority = true },
    Fault(.packed, "no basic constraints", "basic constraints") { $0.leaf.isAuthority = nil },
    Fault(.packed, "another model", "AAGUID") {
      $0.leaf.extensions = [
        Certificate.Extension(
          oid: model, critical: false, value: [4, 16] + [UInt8](repeating: 1, count: 16)[...])
      ]
    },
    Fault(.packed, "a critical model", "AAGUID") {
      $0.leaf.extensions = [
        Certificate.Extension(
          oid: model, critical: true, value: [4, 16] + [UInt8](repeating: 0, count: 16)[...])
      ]
    },
    Fault(.packed, "another key", "sig is not") { $0.certifiedKey = P256.Signing.PrivateKey().publicKey },
    Fault(.packed, "another algorithm", "sig is not") { $0.changesMembers = { $0["alg"] = -257 } },
    Fault(.packed, "text as certificate", "not a byte string") { $0.changesMembers = { $0["x5c"] = ["a"] } },
    Fault(.packed, "eleven certificates", "11 certificates") {
      $0.changesMembers = { $0["x5c"] = .array([CBORValue](repeating: .bytes([0x30, 0]), count: 11)) }
    },
    Fault(.u2f, "two certificates", "not 1") {
      let other = try $0.authority.der
      $0.changesMembers = { members in
        members["x5c"] = .array((members["x5c"]?.arrayValue ?? []) + [.bytes(other)])
      }
    },
    Fault(.u2f, "another key", "sig is not") { $0.certifiedKey = P256.Signing.PrivateKey().publicKey },
    Fault(.u2f, "a model", "AAGUID") {
      $0.registration.aaguid = try #require(AAGUID([UInt8](repeating: 1, count: 16)))
    },
    Fault(.u2f, "an algorithm", "other members") { $0.changesMembers = { $0["alg"] = -7 } },
    Fault(.apple, "another key", "not the credential's") {
      $0.certifiedKey = P256.Signing.PrivateKey().publicKey
    },
    Fault(.apple, "another registration's nonce", "nonce") { scenario in
      scenario.leaf.extensions = []
      let leaf = try scenario.authority.issue(scenario.registration.key.publicKey, scenario.leaf)
      scenario.changesMembers = { $0["x5c"] = [.bytes(leaf)] }
    },
    Fault(.androidKey, "another key", "sig is not") { $0.certifiedKey = P256.Signing.PrivateKey().publicKey },
    Fault(.androidKey, "no description", "no KeyDescription") {
      $0.leaf.extensions = [Certificate.Extension(oid: [1, 2, 3], critical: false, value: [5, 0])]
    },
    android("another challenge", "attested challenge") { $0.challenge = [1] },
    android("imported", "not generated") { $0.origin = 2 },
    android("for decryption", "signing alone") { $0.purpose = 1 },
    android("for all apps", "every app") { $0.isForAll = true },
    Fault(.androidKey, "in software where hardware is demanded", "below the level") {
      $0.registration.policy.attestation.minimumAndroidLevel = .trustedEnvironment
      let hash = Array(SHA256.hash(data: $0.registration.client.json(challenge: $0.registration.challenge)))
      $0.leaf.extensions = [Android(level: 0).certificateExtension(challenge: hash)]
    },
    Fault(.tpm, "another version", "ver is not") { $0.changesMembers = { $0["ver"] = "1.2" } },
    Fault(.tpm, "another key", "sig is not") { $0.certifiedKey = P256.Signing.PrivateKey().publicKey },
    Fault(.tpm, "a public area of another key", "pubArea's key") {
      $0.changesMembers = { members in
        members["pubArea"] = .bytes(TPM.publicArea(of: P256.Signing.PrivateKey().publicKey))
      }
    },
    Fault(.tpm, "a public area that was not certified", "another object") {
      $0.changesMembers = { members in
        var area = members["pubArea"]?.bytesValue ?? []
        // Another attribute of the same key.
        area[6] ^= 4
        members["pubArea"] = .bytes(area)
      }
    },
    tpm("another registration", "extraData") { area in TPM.certifyInfo(extraData: [1], publicArea: area) },
    tpm("no certification", "8017") { area in TPM.certifyInfo(extraData: [1], publicArea: area, type: 0x18) },
    tpm("made by no TPM", "ff544347") { _ in [0xFF] + [UInt8](repeating: 0, count: 60) },
    tpm("cut off", "too early") { area in Array(TPM.certifyInfo(extraData: [1], publicArea: area).dropLast())
    },
    Fault(.tpm, "a subject", "subject") {
      $0.leaf.extensions = TPM.extensions
    },
    Fault(.tpm, "another usage", "2.23.133.8.3") {
      $0.leaf = .withoutSubject
      $0.leaf.extensions = [TPM.name]
    },
    Fault(.tpm, "no alternative name", "maker, model and version") {
      $0.leaf = .withoutSubject
      $0.leaf.extensions = [TPM.usage]
    },
    Fault(.tpm, "an authority", "basic constraints") {
      $0.leaf = .withoutSubject
      $0.leaf.isAuthority = true
      $0.leaf.extensions = TPM.extensions
    },
  ]

  /// A changed description of an Android key.
  private static func android(
    _ description: String, _ text: String, _ change: @escaping @Sendable (inout Android) -> Void
  ) -> Fault {
    Fault(.androidKey, description, text) { scenario in
      let registration = scenario.registration
      var android = Android()
      change(&android)
      let hash = Array(SHA256.hash(data: registration.client.json(challenge: registration.challenge)))
      scenario.leaf.extensions = [android.certificateExtension(challenge: hash)]
    }
  }

  /// Another `certInfo`, signed by the certified key.
  private static func tpm(
    _ description: String, _ text: String, _ info: @escaping @Sendable (_ publicArea: [UInt8]) -> [UInt8]
  ) -> Fault {
    Fault(.tpm, description, text) { scenario in
      let key = scenario.attestationKey
      scenario.changesMembers = { members in
        let info = info(members["pubArea"]?.bytesValue ?? [])
        members["certInfo"] = .bytes(info)
        members["sig"] = .bytes(Array(try key.signature(for: info).derRepresentation))
      }
    }
  }

  @Test(arguments: faults)
  func `each fault is found`(fault: Fault) async throws {
    var scenario = try Scenario()
    try fault.change(&scenario)
    await expectFailure(.attestationInvalid, fault.text) { [scenario] in
      _ = try await scenario.verify(fault.format)
    }
  }

  @Test func `a description in software is enough where nothing else is demanded`() async throws {
    var scenario = try Scenario()
    let hash = Array(
      SHA256.hash(data: scenario.registration.client.json(challenge: scenario.registration.challenge)))
    scenario.leaf.extensions = [Android(level: 0).certificateExtension(challenge: hash)]
    #expect(try await scenario.verify(.androidKey).attestation.type == .ca)
  }

  @Test(arguments: Format.allCases)
  func `damaged members are refused, and nothing else happens`(format: Format) async throws {
    var generator = SeededGenerator(seed: UInt64(format.rawValue.utf8.count))
    for _ in 0..<40 {
      var scenario = try Scenario()
      let name: CBORValue = ["sig", "x5c", "certInfo", "pubArea"][Int.random(in: 0..<4, using: &generator)]
      let place = Int.random(in: 0..<10_000, using: &generator)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      let isCut = Bool.random(using: &generator)
      scenario.changesMembers = { members in
        // What the format does not have is added, which is refused too.
        var bytes = members[name]?.bytesValue ?? members[name]?[0] ?? [1]
        bytes[place % bytes.count] ^= bit
        if isCut { bytes.removeLast() }
        members[name] = name == "x5c" ? [.bytes(bytes)] : .bytes(bytes)
      }
      let damaged = scenario
      await #expect(throws: WebAuthnFailure.self) { _ = try await damaged.verify(format) }
    }
  }
}

extension CBORValue {
  fileprivate subscript(place: Int) -> [UInt8]? { arrayValue?[place].bytesValue }
}
