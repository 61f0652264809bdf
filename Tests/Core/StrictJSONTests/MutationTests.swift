import CommonFixtures
import StrictJSON
import Testing

@Suite("Mutated and generated texts")
struct MutationTests {
  private static let texts = [
    #"{"typ":"JWS","alg":"ES256","kid":"5C0B1E2A","jwk":{"kty":"EC","crv":"P-256","x":"Ox","y":"XH"}}"#,
    #"[{"a":[1,-2,3.5e-7,true,false,null]},"é\u00e9\ud83d\ude00\n",[[],{}],123456789012345678901]"#,
    #"{"a":1,"\u0061b":"\\\"/","z":[0,-0,1e10,1.0],"":"","nested":{"nested":{"nested":[{}]}}}"#,
  ]

  @Test(arguments: 1...6)
  func `what is read is written and read again as the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let interesting = Array("{}[]\",:\\u0019dDaAeE+-. \n\u{0}é".utf8) + [0x80, 0xC0, 0xED, 0xFF]
    var accepted = 0
    for round in 0..<2000 {
      var bytes = Array(Self.texts[round % Self.texts.count].utf8)
      for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = interesting.randomElement(using: &generator) ?? 0
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(interesting.randomElement(using: &generator) ?? 0, at: place)
        case 4:
          let end = Int.random(in: place...bytes.count, using: &generator)
          bytes.insert(contentsOf: bytes[place..<end], at: place)
        default: bytes.removeLast(Int.random(in: 0...min(3, bytes.count), using: &generator))
        }
      }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      accepted += 1
      try expectRoundTrip(value)
    }
    #expect(accepted > 300, "the mutations still reach the accepting paths")
  }

  @Test(arguments: 1...6)
  func `values of any shape are written and read again as the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 { try expectRoundTrip(value(depth: 4, with: &generator)) }
  }

  private func expectRoundTrip(_ value: JSONValue) throws {
    let bytes = value.serialized
    let again = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: .max, maximumDepth: 128))
    #expect(again == value)
    #expect(again.hashValue == value.hashValue)
    #expect(again.serialized == bytes)
  }

  private func value(depth: Int, with generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
    case 3:
      let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
      return number.isFinite ? .number(number) : .null
    case 4, 5: return .string(text(with: &generator))
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(depth: depth - 1, with: &generator) })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0..<25, using: &generator) {
        object[text(with: &generator)] = value(depth: depth - 2, with: &generator)
      }
      return .object(object)
    }
  }

  private func text(with generator: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<6, using: &generator) {
      let range: ClosedRange<UInt32> = Bool.random(using: &generator) ? 0...0x17F : 0...0x10FFFF
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { text.append(scalar) }
    }
    return String(text)
  }
}
