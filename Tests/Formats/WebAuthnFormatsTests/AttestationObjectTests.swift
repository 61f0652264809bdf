import CommonFixtures
import CBOR
import Testing
import WebAuthnFormats

@Suite("Attestation objects")
struct AttestationObjectTests {
  @Test func `the members may come in any order, and are written in one`() throws {
    let reordered = bytes("a3 68 6175746844617461 41 01 63 666d74 64 6e6f6e65 67 61747453746d74 a0")
    let object = try AttestationObject(parsing: reordered)
    #expect(object == AttestationObject(format: "none", statement: [:], authenticatorData: [1]))
    #expect(
      object.encoded == bytes("a3 63 666d74 64 6e6f6e65 67 61747453746d74 a0 68 6175746844617461 41 01"))
  }

  static let statement = "67 61747453746d74 a0"
  static let data = "68 6175746844617461 41 01"
  static let format = "63 666d74 64 6e6f6e65"

  @Test(
    arguments: [
      ("nothing", ""), ("no map", "80"), ("no format", "a2 \(statement) \(data)"),
      ("no statement", "a2 \(format) \(data)"), ("no data", "a2 \(format) \(statement)"),
      ("a fourth member", "a4 \(format) \(statement) \(data) 61 61 01"),
      ("the format as bytes", "a3 63 666d74 44 6e6f6e65 \(statement) \(data)"),
      ("the statement as an array", "a3 \(format) 67 61747453746d74 80 \(data)"),
      ("the data as text", "a3 \(format) \(statement) 68 6175746844617461 61 01"),
      ("a member twice", "a4 \(format) \(format) \(statement) \(data)"),
      ("trailing bytes", "a3 \(format) \(statement) \(data) 00"),
      ("indefinite length of the map", "bf \(format) \(statement) \(data) ff"),
      ("indefinite length of the data", "a3 \(format) \(statement) 68 6175746844617461 5f 41 01 ff"),
      ("a gigabyte of data", "a3 \(format) \(statement) 68 6175746844617461 5a 40000000"),
      ("a gigabyte of members", "ba 40000000"),
      ("a gigabyte in the statement", "a3 \(format) 67 61747453746d74 ba 40000000 \(data)"),
      (
        "a statement of depth 1000",
        "a3 \(format) 67 61747453746d74 a1 61 61 \(String(repeating: "81", count: 1000)) 01 \(data)"
      ),
      (
        "a statement of depth 100",
        "a3 \(format) 67 61747453746d74 \(String(repeating: "a1 61 61", count: 100)) 01 \(data)"
      ),
      ("a tag", "c0 a3 \(format) \(statement) \(data)"),
    ])
  func `what is no such object is refused`(name: String, hex: String) {
    #expect(throws: AttestationObjectError.self) { try AttestationObject(parsing: bytes(hex)) }
  }

  @Test func `more than 64 KiB is refused`() {
    let object = AttestationObject(
      format: "none", statement: [:], authenticatorData: [UInt8](repeating: 0, count: 64 << 10))
    #expect(throws: AttestationObjectError.self) { try AttestationObject(parsing: object.encoded) }
  }

  @Test(arguments: 0..<8)
  func `damaged objects are read or refused, and nothing else happens`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var bytes = WorkedExample.packedObject
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        }
      }
      guard let object = try? AttestationObject(parsing: bytes) else { continue }
      if let data = try? AuthenticatorData(parsing: object.authenticatorData) {
        #expect(data.encoded == object.authenticatorData)
      }
    }
  }
}
