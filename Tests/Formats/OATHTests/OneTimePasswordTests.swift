import Testing

@testable import OATH

@Suite("One-time codes") struct OneTimePasswordTests {
  private func password(_ change: (inout OATHProfile) -> Void = { _ in }) throws -> OneTimePassword {
    var profile = OATHProfile(factor: .counter)
    change(&profile)
    return OneTimePassword(secret: try RFCVectorTests.secret(20), profile: profile)
  }

  /// The HMAC of counter 0 is cc93cf18508d94934c64b65d8ba7667fb7cde4b0 (RFC 4226 appendix D).
  @Test(
    arguments: [
      (0, 0x4C93_CF18), (1, 0x13CF_1850), (15, 0x7FB7_CDE4), (16, nil), (-1, nil), (19, nil),
    ] as [(Int, UInt64?)])
  func `a fixed offset takes its four bytes; one outside of the HMAC means the dynamic truncation`(
    offset: Int, binary: UInt64?
  ) throws {
    let code = try password { $0.truncationOffset = offset }.code(at: 0)
    let expected = binary.map { String(String($0 % 1_000_000 + 1_000_000).dropFirst()) }
    #expect(code == expected ?? "755224")
  }

  /// 755224: from the right 4→8, 2, 2→4, 5, 5→10→1, 7 = 27, so 3.
  @Test(arguments: [(755224, 3), (287082, 2), (0, 0), (5, 9), (50, 5)] as [(UInt64, UInt64)])
  func `the checksum is one more digit`(number: UInt64, digit: UInt64) throws {
    #expect(OneTimePassword.checksum(of: number) == digit)
    let checked = try password { $0.addsChecksum = true }
    #expect(checked.code(at: 0) == "7552243" && checked.profile.codeLength == 7)
    #expect(checked.match("7552243", in: 0...9, nearest: 0) == 0)
    #expect(checked.match("755224", in: 0...9, nearest: 0) == nil)
    #expect(checked.match("7552244", in: 0...9, nearest: 0) == nil)
  }

  @Test func `a code is found in the window, and nowhere else`() throws {
    let password = try password()
    #expect(password.match("162583", in: 0...9, nearest: 0) == 7)
    #expect(password.match("162583", in: 7...7, nearest: 7) == 7)
    #expect(password.match("162583", in: 0...6, nearest: 0) == nil)
    #expect(password.match("162583", in: 8...9, nearest: 8) == nil)
    for text in ["", "16258", "1625830", "１６２５８３", "16258x", "-62583", "162583\n"] {
      #expect(password.match(text, in: 0...9, nearest: 0) == nil, "\(text)")
    }
  }

  @Test func `of two factors with one code the nearer one counts`() throws {
    let password = try password()
    var seen: [String: UInt64] = [:]
    var pair: (first: UInt64, second: UInt64)?
    for factor in UInt64(0)...20_000 where pair == nil {
      let code = password.code(at: factor)
      if let first = seen[code], factor - first < 900 { pair = (first, factor) }
      seen[code] = factor
    }
    let (first, second) = try #require(pair)
    let code = password.code(at: first)
    #expect(password.match(code, in: first...second, nearest: first) == first)
    #expect(password.match(code, in: first...second, nearest: second) == second)
  }

  @Test func `a window is bounded, also at the end of all counters`() throws {
    let password = try password()
    let last = UInt64.max
    #expect(password.match(password.code(at: last), in: last - 1...last, nearest: last) == last)
    let far = UInt64(OneTimePassword.maximumWindow)
    #expect(password.match(password.code(at: far), in: 0...last, nearest: 0) != far)
  }

  @Test func `time steps count whole periods since 1970`() {
    let time = OATHProfile.MovingFactor.time(period: 30)
    #expect(time.step(at: 0) == 0 && time.step(at: 29.999) == 0 && time.step(at: 30) == 1)
    #expect(time.step(at: -1) == nil && time.step(at: .infinity) == nil && time.step(at: .nan) == nil)
    #expect(OATHProfile.MovingFactor.counter.step(at: 30) == nil)
    #expect(OATHProfile.MovingFactor.time(period: 0).step(at: 30) == nil)
  }

  @Test func `a secret has 16 to 128 bytes and is never printed`() throws {
    #expect(OATHSecret([UInt8](repeating: 1, count: 15)) == nil)
    #expect(OATHSecret([UInt8](repeating: 1, count: 129)) == nil)
    let secret = try RFCVectorTests.secret(20)
    let password = try password()
    let parameters = OATHEnrolmentParameters(secret: secret, profile: OATHProfile())
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\(password)", "\(parameters)"] {
      #expect(!text.contains("GEZDG") && !text.contains("49"), "\(text)")
    }
    #expect(secret == OATHSecret(secret.reveal()))
    #expect(try RFCVectorTests.secret(20) != RFCVectorTests.secret(32))
  }
}

@Suite("OATH parameters of enrolment addresses") struct EnrolmentParametersTests {
  private func read(_ host: String, _ items: [String: String]) throws -> OATHEnrolmentParameters {
    try OATHEnrolmentParameters(host: host) { items[$0] }
  }

  private static let text = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

  @Test(
    arguments: [
      OATHProfile(), OATHProfile(factor: .time(period: 60), hash: .sha512, digits: .eight),
      OATHProfile(factor: .counter, hash: .sha256), OATHProfile(digits: .four), OATHProfile(digits: .five),
      OATHProfile(digits: .seven),
    ])
  func `what is written is read`(profile: OATHProfile) throws {
    var written = OATHEnrolmentParameters(secret: try RFCVectorTests.secret(20), profile: profile)
    if profile.factor == .counter { written.counter = 7 }
    let items = Dictionary(uniqueKeysWithValues: written.items.map { ($0.name, $0.value) })
    #expect(items["secret"] == Self.text)
    #expect(try read(profile.name.uppercased(), items) == written)
  }

  @Test func `what is left out has the Key URI Format's standard`() throws {
    let parameters = try read(
      "totp", ["secret": Self.text.lowercased(), "algorithm": "HmacSHA256", "digits": ""])
    #expect(parameters.profile == OATHProfile(hash: .sha256))
  }

  @Test(
    arguments: [
      ("secret", ""), ("secret", "GEZDG"), ("secret", "1\(text)"), ("algorithm", "MD5"), ("digits", "3"),
      ("digits", "9"),
      ("digits", "-6"), ("period", "0"), ("period", "3601"), ("period", "99999999999999999999"),
      ("period", "+30"),
    ])
  func `faults name the parameter, never the secret`(name: String, value: String) throws {
    var items = ["secret": Self.text]
    items[name] = value
    let fault = try #require(throws: OATHEnrolmentParameters.Fault.self) { _ = try read("totp", items) }
    #expect(fault.description.contains(name) && !fault.description.contains(Self.text))
    #expect(throws: OATHEnrolmentParameters.Fault.self) { try read("push", ["secret": Self.text]) }
  }
}
