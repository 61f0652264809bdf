import Crypto
import Testing
import WebAuthnFormats

@Suite("ECDSA signatures in DER")
struct ECDSASignatureDERTests {
  static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  static let belowOrder = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"

  @Test(
    "The smallest and the largest numbers go both ways",
    arguments: [("3006020101020101", 1, 1), ("3007020200ff020101", 255, 1), ("300602017f020101", 127, 1)])
  func small(der: String, r: UInt8, s: UInt8) throws {
    let raw = [UInt8](repeating: 0, count: 31) + [r] + [UInt8](repeating: 0, count: 31) + [s]
    #expect(try ECDSASignatureDER.raw(from: bytes(der), curve: .p256) == raw)
    #expect(try ECDSASignatureDER.der(fromRaw: raw, curve: .p256) == bytes(der))
  }

  @Test func theLargest() throws {
    let der = bytes("3046022100\(Self.belowOrder)022100\(Self.belowOrder)")
    let raw = bytes(Self.belowOrder + Self.belowOrder)
    #expect(try ECDSASignatureDER.raw(from: der, curve: .p256) == raw)
    #expect(try ECDSASignatureDER.der(fromRaw: raw, curve: .p256) == der)
  }

  static let refused: [(String, ECDSASignatureError.Code)] = [
    ("", .malformed), ("30", .malformed), ("3106020101020101", .malformed),
    ("3007020101020101", .wrongLength),
    ("3005020101020101", .wrongLength), ("300602010102010100", .wrongLength),
    ("3009020101020101020101", .wrongLength), ("3003020101", .malformed), ("30060201010301ff", .malformed),
    ("308106020101020101", .malformed), ("30820006020101020101", .malformed),
    ("3080020101020101", .malformed),
    ("30050200020101", .malformed), ("3006020101020201", .malformed),
    // Not minimal, negative, zero, too large.
    ("300702020001020101", .notMinimal), ("30070201010202007f", .notMinimal), ("3006020180020101", .negative),
    ("30060201010201ff", .negative), ("3006020100020101", .outOfRange), ("3006020101020100", .outOfRange),
    ("3026022100\(order)020101", .outOfRange),
    ("3026" + "020101" + "022100\(order)", .outOfRange),
    ("302702220100\(order)020101", .outOfRange),
  ]

  @Test("Anything but the one encoding is refused", arguments: refused)
  func refusals(der: String, code: ECDSASignatureError.Code) {
    let error = #expect(throws: ECDSASignatureError.self) {
      try ECDSASignatureDER.raw(from: bytes(der), curve: .p256)
    }
    #expect(error?.code == code)
  }

  @Test("Raw forms out of range are refused", arguments: ["00", "ff"])
  func raw(_ byte: String) {
    let raw = bytes(String(repeating: byte, count: 32) + String(repeating: "01", count: 32))
    #expect(throws: ECDSASignatureError.self) { try ECDSASignatureDER.der(fromRaw: raw, curve: .p256) }
    #expect(throws: ECDSASignatureError.self) {
      try ECDSASignatureDER.der(fromRaw: Array(raw.dropLast()), curve: .p256)
    }
  }

  @Test("What the library signs goes both ways on each curve", arguments: 0..<20)
  func library(_: Int) throws {
    let message = Array("message".utf8)
    let p256 = try P256.Signing.PrivateKey().signature(for: message)
    try check(Array(p256.derRepresentation), Array(p256.rawRepresentation), .p256)
    let p384 = try P384.Signing.PrivateKey().signature(for: message)
    try check(Array(p384.derRepresentation), Array(p384.rawRepresentation), .p384)
    // Above 127 bytes: the length takes two.
    let p521 = try P521.Signing.PrivateKey().signature(for: message)
    try check(Array(p521.derRepresentation), Array(p521.rawRepresentation), .p521)
  }

  private func check(_ der: [UInt8], _ raw: [UInt8], _ curve: COSECurve) throws {
    #expect(try ECDSASignatureDER.raw(from: der, curve: curve) == raw)
    #expect(try ECDSASignatureDER.der(fromRaw: raw, curve: curve) == der)
  }
}
