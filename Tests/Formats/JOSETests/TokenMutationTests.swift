import CommonFixtures
import Bytes
import Crypto
import JOSE
import StrictJSON
import Testing

@Suite("Mutated tokens and keys")
struct TokenMutationTests {
  @Test(arguments: 1...4)
  func `a token of which any byte was changed, removed, added or moved never verifies`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = Array(DeviceVector.compact.utf8)
    let key = try VerificationKey(JWK(json: DeviceVector.jwk))
    for _ in 0..<1500 {
      let mutated = String(decoding: mutate(original, with: &generator), as: UTF8.self)
      guard mutated != DeviceVector.compact else { continue }
      do {
        let token = try UnverifiedJWS(compact: mutated)
        _ = token.header.jwk.map { try? JWK(json: $0) }
        _ = try token.verified(with: key, allowing: Set(JWSAlgorithm.allCases))
        Issue.record("verified: \(mutated)")
      } catch {}
    }
  }

  @Test(arguments: 1...4)
  func `a mutated header that is read is read again as the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = DeviceVector.header.serialized
    for _ in 0..<1500 {
      let header = Base64URL.encode(mutate(original, with: &generator))
      guard let token = try? UnverifiedJWS(compact: "\(header).e30.AAAA") else { continue }
      let again = Base64URL.encode(token.header.json.serialized)
      #expect(try UnverifiedJWS(compact: "\(again).e30.AAAA").header == token.header)
    }
  }

  @Test(arguments: 1...4)
  func `a mutated key that is read is a key, and read again the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for original in [DeviceVector.jwk, RFC7515.rs256Key] {
      for _ in 0..<750 {
        let mutated = mutate(original.serialized, with: &generator)
        guard let json = try? JSONValue(parsing: mutated).objectValue, let jwk = try? JWK(json: json) else {
          continue
        }
        #expect(try JWK(json: jwk.json).json == jwk.json)
        #expect(throws: Never.self) { try VerificationKey(jwk) }
      }
    }
  }

  @Test(arguments: 1...4)
  func `DER that is read is the DER of what was read`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = bytes(hex: DeviceVector.der)
    for _ in 0..<2000 {
      let der = mutate(original, with: &generator)
      guard let raw = try? ECDSASignatureFormat.raw(fromDER: der) else { continue }
      #expect(raw.count == 64)
      #expect(try ECDSASignatureFormat.der(fromRaw: raw) == der)
    }
  }

  private func mutate(_ original: [UInt8], with generator: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 4: bytes.swapAt(place, Int.random(in: bytes.indices, using: &generator))
      default: bytes.removeLast(bytes.count - place)
      }
    }
    return bytes
  }
}
