import Crypto
import JOSE
import Testing

@Suite("ECDSA signatures: DER and r ‖ s")
struct ECDSASignatureFormatTests {
  @Test("The device's signature in both forms")
  func vector() throws {
    let (der, raw) = (bytes(hex: DeviceVector.der), bytes(hex: DeviceVector.raw))
    #expect(try ECDSASignatureFormat.raw(fromDER: der) == raw)
    #expect(try ECDSASignatureFormat.der(fromRaw: raw) == der)
  }

  @Test("Both forms agree with the cryptographic library")
  func library() throws {
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
    "Short integers are padded, sign bytes and padding dropped",
    arguments: [
      ("3006020101020102", "01", "02"),
      ("300702020080020101", "80", "01"),
      ("30080202008102020082", "81", "82"),
      ("3008020200010202007f", "01", "7f"),
      ("300a02040000000102020080", "01", "80"),
      ("300a02047fffffff02020100", "7fffffff", "0100"),
    ])
  func integers(der: String, r: String, s: String) throws {
    let padded = [r, s].flatMap { [UInt8](repeating: 0, count: 32 - $0.count / 2) + bytes(hex: $0) }
    #expect(try ECDSASignatureFormat.raw(fromDER: bytes(hex: der)) == padded)
  }

  static let integer = "0220" + String(repeating: "11", count: 32)

  @Test(
    "What is no P-256 signature in DER",
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
  func refusedDER(hex: String) throws {
    #expect(try refusal { _ = try ECDSASignatureFormat.raw(fromDER: bytes(hex: hex)) } == .malformed)
  }

  @Test("r ‖ s has 64 bytes", arguments: [0, 1, 32, 63, 65, 66, 128])
  func rawLength(count: Int) throws {
    let raw = [UInt8](repeating: 1, count: count)
    #expect(try refusal { _ = try ECDSASignatureFormat.der(fromRaw: raw) } == .malformed)
  }

  @Test("Neither half is zero")
  func zero() throws {
    let (zero, one) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1])
    for raw in [zero + one, one + zero, zero + zero] {
      #expect(try refusal { _ = try ECDSASignatureFormat.der(fromRaw: raw) } == .malformed)
    }
    #expect(try ECDSASignatureFormat.der(fromRaw: one + one) == bytes(hex: "3006020101020101"))
  }
}
