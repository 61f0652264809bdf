import Crypto
import JOSE
import Testing

@Suite("ECDSA signatures: DER and r ‖ s")
struct ECDSASignatureFormatTests {
  @Test func `the device's signature in both forms`() throws {
    let (der, raw) = (bytes(hex: DeviceVector.der), bytes(hex: DeviceVector.raw))
    #expect(try ECDSASignatureFormat.raw(fromDER: der) == raw)
    #expect(try ECDSASignatureFormat.der(fromRaw: raw) == der)
  }

  @Test func `both forms agree with the cryptographic library`() throws {
    let key = P256.Signing.PrivateKey()
    // Enough that integers with a sign byte and shorter ones occur.
    for message in 0..<UInt8(200) {
      let signature = try key.signature(for: [message])
      let (der, raw) = ([UInt8](signature.derRepresentation), [UInt8](signature.rawRepresentation))
      #expect(try ECDSASignatureFormat.raw(fromDER: der) == raw)
      #expect(try ECDSASignatureFormat.der(fromRaw: raw) == der)
    }
  }

  @Test(
    arguments: [
      ("3006020101020102", "01", "02"),
      ("300702020080020101", "80", "01"),
      ("30080202008102020082", "81", "82"),
      ("300702017f020200ff", "7f", "ff"),
      ("300a02047fffffff02020100", "7fffffff", "0100"),
      ("3046022100\(belowOrder)022100\(belowOrder)", belowOrder, belowOrder),
    ])
  func `short integers are padded, sign bytes dropped`(der: String, r: String, s: String) throws {
    let padded = [r, s].flatMap { [UInt8](repeating: 0, count: 32 - $0.count / 2) + bytes(hex: $0) }
    #expect(try ECDSASignatureFormat.raw(fromDER: bytes(hex: der)) == padded)
    #expect(try ECDSASignatureFormat.der(fromRaw: padded) == bytes(hex: der))
  }

  static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  static let belowOrder = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
  static let integer = "0220" + String(repeating: "11", count: 32)

  @Test(
    arguments: [
      "", "30", "3000", "3106020101020102", "0206020101020102",
      "300602010102", "3006020101", "30060201010201", "300602010102010200", "300502010102010200",
      "3007020101020102", "30090201010201020201",
      // Long-form lengths
      "308106020101020102", "30820006020101020102", "3007028101010201" + "02", "3080020101020102" + "0000",
      // Empty, negative and zero integers, wrong tags
      "30050200020102", "3006020181020102", "30060201010201ff", "3006020100020101", "3006020101020100",
      "300702020000020101", "3006030101020102", "3006020101030102",
      // 33 bytes without and with a sign byte
      "3045" + "022101" + String(repeating: "11", count: 32) + integer,
      "3046" + "02220001" + String(repeating: "11", count: 32) + integer,
      // The second integer reaches beyond the sequence
      "300602010102" + "7f01",
    ])
  func `what is not a P-256 signature in DER`(hex: String) throws {
    #expect(try refusal { _ = try ECDSASignatureFormat.raw(fromDER: bytes(hex: hex)) } == .malformed)
  }

  @Test(
    arguments: [
      ("", "not a DER sequence"), ("30060201010301ff", "not a DER sequence"),
      ("3003020101", "not a DER sequence"), ("308106020101020101", "shortest form"),
      ("3007020101020101", "bytes are missing"), ("3005020101020101", "bytes are missing"),
      ("300602010102010100", "left over"), ("3009020101020101020101", "left over"),
      // Some hardware pads: until now the converter of JOSE took it, and that of WebAuthn did not.
      ("300702020001020101", "leading zero"), ("30070201010202007f", "leading zero"),
      ("300a02040000000102020080", "leading zero"), ("3006020180020101", "below zero"),
      ("30060201010201ff", "below zero"), ("3006020100020101", "is zero"), ("3006020101020100", "is zero"),
      ("3026022100\(order)020101", "below the order"), ("3026020101022100\(order)", "below the order"),
      ("302702220100\(order)020101", "below the order"),
    ])
  func `each fault is named, so that one encoding stands for one signature`(hex: String, reason: String) {
    let error = #expect(throws: JOSEError.self) { try ECDSASignatureFormat.raw(fromDER: bytes(hex: hex)) }
    #expect(error?.code == .malformed && error?.reason.contains(reason) == true)
  }

  @Test(arguments: 0..<50)
  func `what the library signs goes both ways on each curve`(_: Int) throws {
    let message = Array("message".utf8)
    let p256 = try P256.Signing.PrivateKey().signature(for: message)
    try check(Array(p256.derRepresentation), Array(p256.rawRepresentation), .p256)
    let p384 = try P384.Signing.PrivateKey().signature(for: message)
    try check(Array(p384.derRepresentation), Array(p384.rawRepresentation), .p384)
    // Above 127 bytes: the length takes two.
    let p521 = try P521.Signing.PrivateKey().signature(for: message)
    try check(Array(p521.derRepresentation), Array(p521.rawRepresentation), .p521)
  }

  private func check(_ der: [UInt8], _ raw: [UInt8], _ curve: ECDSASignatureFormat.Curve) throws {
    #expect(raw.count == 2 * curve.fieldBytes)
    #expect(try ECDSASignatureFormat.raw(fromDER: der, curve: curve) == raw)
    #expect(try ECDSASignatureFormat.der(fromRaw: raw, curve: curve) == der)
  }

  @Test(arguments: [0, 1, 32, 63, 65, 66, 128])
  func `r ‖ s has 64 bytes`(count: Int) throws {
    let raw = [UInt8](repeating: 1, count: count)
    #expect(try refusal { _ = try ECDSASignatureFormat.der(fromRaw: raw) } == .malformed)
  }

  @Test func `neither half is zero, or as large as the order of the curve`() throws {
    let (zero, one) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1])
    for raw in [zero + one, one + zero, zero + zero] {
      #expect(try refusal { _ = try ECDSASignatureFormat.der(fromRaw: raw) } == .malformed)
    }
    #expect(try ECDSASignatureFormat.der(fromRaw: one + one) == bytes(hex: "3006020101020101"))
    let order = bytes(hex: Self.order)
    #expect(try refusal { _ = try ECDSASignatureFormat.der(fromRaw: order + one) } == .malformed)
    #expect(try refusal { _ = try ECDSASignatureFormat.der(fromRaw: one + order) } == .malformed)
  }
}
