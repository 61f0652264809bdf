import OATH
import Testing

@Suite("Vectors of RFC 4226 and RFC 6238") struct RFCVectorTests {
  /// The ASCII digits 1 to 0, repeated: the secrets of both RFCs.
  static func secret(_ count: Int) throws -> OATHSecret {
    try #require(OATHSecret((0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) }))
  }

  static let counters: [(UInt64, String)] = zip(
    0...,
    [
      "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
    ]
  ).map { ($0, $1) }

  @Test(arguments: counters)
  func `RFC 4226 appendix D`(counter: UInt64, code: String) throws {
    let password = OneTimePassword(
      secret: try Self.secret(20), profile: OATHProfile(factor: .counter, digits: .six))
    #expect(password.code(at: counter) == code)
  }

  struct Moment: Sendable {
    let seconds: Double
    let step: UInt64
    let codes: [OATHProfile.Hash: String]

    init(_ seconds: Double, _ step: UInt64, _ sha1: String, _ sha256: String, _ sha512: String) {
      self.seconds = seconds
      self.step = step
      codes = [.sha1: sha1, .sha256: sha256, .sha512: sha512]
    }
  }

  static let moments = [
    Moment(59, 0x1, "94287082", "46119246", "90693936"),
    Moment(1_111_111_109, 0x23523EC, "07081804", "68084774", "25091201"),
    Moment(1_111_111_111, 0x23523ED, "14050471", "67062674", "99943326"),
    Moment(1_234_567_890, 0x273EF07, "89005924", "91819424", "93441116"),
    Moment(2_000_000_000, 0x3F940AA, "69279037", "90698825", "38618901"),
    Moment(20_000_000_000, 0x27BC86AA, "65353130", "77737706", "47863826"),
  ]

  @Test(arguments: moments, OATHProfile.Hash.allCases)
  func `RFC 6238 appendix B`(moment: Moment, hash: OATHProfile.Hash) throws {
    let password = OneTimePassword(
      secret: try Self.secret(hash.byteCount), profile: OATHProfile(hash: hash, digits: .eight))
    #expect(password.profile.factor.step(at: moment.seconds) == moment.step)
    #expect(password.code(at: moment.step) == moment.codes[hash])
  }
}
