import CBOR
import Testing

@testable import CTAP

struct CTAPRequestTests {
  static let make: CBORMap = [
    1: .bytes([UInt8](repeating: 1, count: 32)), 2: ["id": "example.com", "name": "Example"],
    3: ["id": .bytes([7]), "name": "ada", "displayName": "Ada"],
    4: [["alg": -7, "type": "public-key"], ["alg": -8, "type": "other"]],
  ]
  static let get: CBORMap = [1: "example.com", 2: .bytes([UInt8](repeating: 2, count: 32))]

  private func parse(_ command: UInt8, _ map: CBORMap) throws -> CTAPRequest {
    try CTAPRequest(parsing: [command] + CBORValue.map(map).encoded)
  }

  private func status(_ command: UInt8, _ map: CBORMap) -> CTAPStatus? {
    do {
      _ = try parse(command, map)
      return nil
    } catch { return error as? CTAPStatus }
  }

  @Test func `requests are read`() throws {
    guard case .makeCredential(let made) = try parse(1, Self.make) else { return #expect(Bool(false)) }
    #expect(made.relyingPartyID == "example.com" && made.user.name == "ada" && made.algorithms == [-7])
    #expect(made.authorization == nil && made.excluded.isEmpty && made.options == CTAPOptions())
    var map = Self.get
    map[3] = [["id": .bytes([5]), "type": "public-key"], ["id": .bytes([6]), "type": "other"]]
    map[5] = ["up": false]
    map[6] = .bytes([1])
    map[7] = 2
    guard case .getAssertion(let got) = try parse(2, map) else { return #expect(Bool(false)) }
    #expect(got.allowed == [[5]] && got.options.presence == false && got.authorization?.version == 2)
    #expect(try CTAPRequest(parsing: [4]) == .getInfo)
  }

  @Test func `what is malformed has the status that says so`() {
    func changed(_ map: CBORMap, _ key: CBORValue, _ value: CBORValue?) -> CBORMap {
      var copy = map
      copy[key] = value
      return copy
    }
    for key in [1, 2, 3, 4] as [CBORValue] {
      #expect(status(1, changed(Self.make, key, nil)) == .missingParameter)
      #expect(status(1, changed(Self.make, key, true)) == .unexpectedType)
    }
    #expect(status(1, changed(Self.make, 1, .bytes([1]))) == .invalidLength)
    #expect(
      status(1, changed(Self.make, 3, ["id": .bytes([UInt8](repeating: 0, count: 65))])) == .invalidLength)
    #expect(status(2, changed(Self.get, 1, "")) == .invalidParameter)
    #expect(status(2, changed(Self.get, 1, "a\nb")) == .invalidParameter)
    #expect(status(2, changed(Self.get, 1, .text(String(repeating: "a", count: 254)))) == .invalidParameter)
    let many = CBORValue.array((0..<33).map { ["id": .bytes([UInt8($0)]), "type": "public-key"] })
    #expect(status(2, changed(Self.get, 3, many)) == .limitExceeded)
    #expect(status(0x0A, [1: 99]) == .invalidSubcommand && status(6, [2: 99]) == .invalidSubcommand)
    #expect(status(6, [2: 5, 3: [1: 2]]) == .invalidParameter)
  }

  @Test(
    arguments: [
      ([], .invalidLength), ([4, 0], .invalidLength), ([0x99], .invalidCommand), ([0x0C], .invalidCommand),
      ([2], .invalidCBOR), ([2, 0xA0, 0], .invalidCBOR), ([2, 0xBF, 0xFF], .invalidCBOR),
      ([2, 0xFB], .invalidCBOR), ([2, 0x80], .unexpectedType),
      // 1 as two bytes, and keys in another order.
      ([6, 0xA1, 0x18, 0x02, 0x01], .invalidCBOR), ([6, 0xA2, 0x02, 0x01, 0x01, 0x01], .invalidCBOR),
      ([UInt8](repeating: 2, count: 7610), .requestTooLarge),
    ] as [([UInt8], CTAPStatus)])
  func `what is not a canonical request is refused`(bytes: [UInt8], status: CTAPStatus) {
    #expect(throws: status) { try CTAPRequest(parsing: bytes) }
  }

  @Test func `names are cut to what a record can hold, between characters`() throws {
    var map = Self.make
    map[3] = ["id": .bytes([7]), "name": .text(String(repeating: "é", count: 300))]
    guard case .makeCredential(let made) = try parse(1, map) else { return #expect(Bool(false)) }
    #expect(made.user.name == String(repeating: "é", count: 32))
  }
}
