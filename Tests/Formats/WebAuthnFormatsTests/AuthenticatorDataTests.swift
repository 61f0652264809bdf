import CBOR
import Testing
import WebAuthnFormats

@Suite("Authenticator data")
struct AuthenticatorDataTests {
  static let hash = [UInt8](repeating: 7, count: 32)
  static let aaguid = [UInt8](repeating: 9, count: 16)

  static func data(
    flags: UInt8, count: UInt32 = 1, idLength: Int = 16, id: [UInt8]? = nil, key: [UInt8] = WorkedExample.key,
    after: [UInt8] = []
  ) -> [UInt8] {
    let head = hash + [flags] + withUnsafeBytes(of: count.bigEndian, Array.init)
    guard flags & 0x40 != 0 else { return head + after }
    let id = id ?? [UInt8](repeating: 1, count: idLength)
    return head + aaguid + [UInt8(idLength >> 8), UInt8(idLength & 0xFF)] + id + key + after
  }

  @Test func `all fields are read`() throws {
    let read = try AuthenticatorData(
      parsing: Self.data(flags: 0xDD, count: 0xFFFF_FFFE, after: [0xA1, 0x61, 0x61, 0xF5]))
    #expect(read.relyingPartyIDHash == Self.hash)
    #expect(
      read.flags == [
        .userPresent, .userVerified, .backupEligible, .backedUp, .attestedCredential, .extensions,
      ])
    #expect(read.signCount == 0xFFFF_FFFE)
    #expect(read.attestedCredential?.aaguid.bytes == Self.aaguid)
    #expect(read.attestedCredential?.id.count == 16)
    #expect(read.extensions == ["a": true])
  }

  @Test func `extensions may stand without a credential, and reserved flags are kept`() throws {
    let read = try AuthenticatorData(parsing: Self.data(flags: 0xA3, after: [0xA0]))
    #expect(read.extensions == [:])
    #expect(read.flags.rawValue == 0xA3)
  }

  @Test(arguments: [1, 1023])
  func `a credential id may have up to 1023 bytes`(length: Int) throws {
    let read = try AuthenticatorData(parsing: Self.data(flags: 0x41, idLength: length))
    #expect(read.attestedCredential?.id.count == length)
  }

  static let refused: [(String, [UInt8], AuthenticatorDataError)] = [
    ("nothing", [], .truncated), ("36 bytes", Array(data(flags: 1).dropLast()), .truncated),
    ("a byte too many", data(flags: 0x01, after: [0]), .trailingBytes(1)),
    ("a byte after the credential", data(flags: 0x41, after: [0xA0]), .trailingBytes(1)),
    ("a byte after the extensions", data(flags: 0x81, after: [0xA0, 0]), .trailingBytes(1)),
    ("AT without credential", Array(data(flags: 0x41)[..<37]), .truncated),
    ("AT within the AAGUID", Array(data(flags: 0x41)[..<50]), .truncated),
    ("AT within the id", Array(data(flags: 0x41)[..<60]), .truncated),
    (
      "a credential without AT", data(flags: 0x41).enumerated().map { $0 == 32 ? 1 : $1 }, .trailingBytes(111)
    ),
    ("an empty id", data(flags: 0x41, idLength: 0), .credentialIDLength(0)),
    ("an id of 1024 bytes", data(flags: 0x41, idLength: 1024), .credentialIDLength(1024)),
    ("an id of 65535 bytes", data(flags: 0x41, idLength: 65535, id: [1]), .credentialIDLength(65535)),
    ("BS without BE", data(flags: 0x11), .backupStateWithoutEligibility),
    ("more than 16 KiB", [UInt8](repeating: 0, count: 17 << 10), .tooLarge),
  ]

  @Test(arguments: refused)
  func `what the flags do not announce is refused`(
    name: String, bytes: [UInt8], error: AuthenticatorDataError
  ) {
    #expect(throws: error) { try AuthenticatorData(parsing: bytes) }
  }

  @Test(arguments: [[], [0x80], [0xBF, 0xFF], [0xA1, 0x01], [0x5A, 0x40, 0, 0, 0]])
  func `ED without a map is refused`(after: [UInt8]) {
    #expect {
      try AuthenticatorData(parsing: Self.data(flags: 0x81, after: after))
    } throws: {
      if case .extensionsMalformed? = $0 as? AuthenticatorDataError { true } else { false }
    }
  }

  @Test(arguments: [[], [0xA5, 1], [0xBF, 0xFF], [0xBA, 0x40, 0, 0, 0]])
  func `damaged keys are refused`(key: [UInt8]) {
    #expect {
      try AuthenticatorData(parsing: Self.data(flags: 0x41, key: key))
    } throws: {
      if case .keyMalformed? = $0 as? AuthenticatorDataError { true } else { false }
    }
  }

  @Test func `what is made keeps the rules`() throws {
    #expect(throws: AuthenticatorDataError.backupStateWithoutEligibility) {
      try AuthenticatorData(relyingPartyID: "example.com", flags: [.backedUp], signCount: 0)
    }
    let made = try AuthenticatorData(
      relyingPartyID: "example.com", flags: [.userPresent, .attestedCredential], signCount: 2,
      extensions: ["credProtect": 2])
    #expect(made.flags == [.userPresent, .extensions])
    #expect(try AuthenticatorData(parsing: made.encoded) == made)
    let key = try COSEKey(decoding: WorkedExample.key)
    #expect(throws: AuthenticatorDataError.credentialIDLength(1024)) {
      try AttestedCredential(aaguid: .zero, id: [UInt8](repeating: 0, count: 1024), publicKey: key)
    }
  }

  @Test func `models are named as UUIDs`() {
    let aaguid = AAGUID(uuid: "8446ccb9-ab1d-B374-750b-2367ff6f3a1f")
    #expect(aaguid?.description == "8446ccb9-ab1d-b374-750b-2367ff6f3a1f")
    #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
    #expect(AAGUID(uuid: "8446ccb9ab1db374750b2367ff6f3a1f") == nil)
    #expect(AAGUID(uuid: "8446ccb9-ab1d-b374-750b-2367ff6f3a1g") == nil)
    #expect(AAGUID([1, 2]) == nil)
  }
}
