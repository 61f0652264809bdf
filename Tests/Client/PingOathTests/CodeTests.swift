import CommonFixtures
import Concurrency
import Foundation
import PingCommons
import PingStorage
import Testing

@testable import PingOath

@Suite("Codes")
struct CodeTests {
  private func credential(
    _ type: OathType, _ algorithm: OathAlgorithm = .sha1, digits: Int = 6, period: Int = 30,
    counter: Int = 0, account: String = "ada", secret: String = vectorSecret(20)
  ) -> OathCredential {
    OathCredential(
      issuer: "Bank", accountName: account, oathType: type, oathAlgorithm: algorithm, digits: digits,
      period: period, counter: counter, secretKey: secret)
  }

  // RFC 4226 appendix D.
  @Test(
    arguments: Array(
      [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ].enumerated()))
  func `RFC 4226`(counter: Int, code: String) async throws {
    let client = try await makeClient()
    let saved = try await client.saveCredential(credential(.hotp, counter: counter))
    #expect(
      try await client.generateCodeWithValidity(saved.id)
        == OathCodeInfo.forHotp(code: code, counter: counter + 1))
    #expect(try await client.getCredential(saved.id)?.counter == counter + 1)
  }

  // RFC 6238 appendix B.
  @Test(
    arguments: [
      (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
      (1_111_111_111, "14050471", "67062674", "99943326"),
      (1_234_567_890, "89005924", "91819424", "93441116"),
      (2_000_000_000, "69279037", "90698825", "38618901"),
      (20_000_000_000, "65353130", "77737706", "47863826"),
    ])
  func `RFC 6238`(time: Int, sha1: String, sha256: String, sha512: String) async throws {
    let client = try await makeClient(clock: ManualDate(seconds: TimeInterval(time)))
    let vectors: [(OathAlgorithm, Int, String)] = [
      (.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
    ]
    for (algorithm, size, code) in vectors {
      let saved = try await client.saveCredential(
        credential(.totp, algorithm, digits: 8, account: algorithm.rawValue, secret: vectorSecret(size)))
      #expect(try await client.generateCode(saved.id) == code)
    }
  }

  @Test func `a code says how long it is good for`() async throws {
    let clock = ManualDate(seconds: 1_700_000_010)
    let client = try await makeClient(clock: clock)
    let saved = try await client.saveCredential(credential(.totp))
    let first = try await client.generateCodeWithValidity(saved.id)
    #expect(
      first.timeRemaining == 30 && first.progress == 0 && first.totalPeriod == 30 && first.counter == -1)
    clock.advance(by: 22.9)
    let same = try await client.generateCodeWithValidity(saved.id)
    #expect(same.code == first.code && same.timeRemaining == 8)
    #expect(abs(same.progress - 22.0 / 30) < 0.001)
    clock.advance(by: 7.1)
    let next = try await client.generateCodeWithValidity(saved.id)
    #expect(next.code != first.code && next.timeRemaining == 30)
    #expect(try OathCodeInfo.fromJson(same.toJson()) == same)
    #expect(!"\(same)".contains(same.code))
  }

  @Test func `a code of the time is not given to a server twice`() async throws {
    let clock = ManualDate(seconds: 1_700_000_010)
    let client = try await makeClient(clock: clock)
    let saved = try await client.saveCredential(credential(.totp))
    guard case .code(let first) = try await client.takeCode(saved.id) else {
      Issue.record("no code")
      return
    }
    clock.advance(by: 10)
    guard case .wait(seconds: 20) = try await client.takeCode(saved.id) else {
      Issue.record("the same code came twice")
      return
    }
    // To look at it is not a giving away.
    #expect(try await client.generateCode(saved.id) == first.code)
    clock.advance(by: 20)
    guard case .code(let next) = try await client.takeCode(saved.id) else {
      Issue.record("no next code")
      return
    }
    #expect(next.code != first.code)
  }

  /// Whether the clock goes on while the client waits, and how long it waits each time.
  @Test(arguments: [(true, [20]), (false, [20, 20])])
  func `the next code of the time is waited for, but not for ever nor after the last look`(
    clockRuns: Bool, expected: [Int]
  ) async throws {
    let clock = ManualDate(seconds: 1_700_000_020)
    let client = try await makeClient(clock: clock)
    let saved = try await client.saveCredential(credential(.totp))
    _ = try await client.takeCode(saved.id)
    let waits = Locked<[Int]>([])
    let next = try await client.takeCode(saved.id) { seconds in
      waits.withLock { $0.append(seconds) }
      if clockRuns { clock.advance(by: Double(seconds)) }
    }
    #expect(waits.withLock { $0 } == expected)
    #expect((next != nil) == clockRuns)
  }

  // MARK: A counter is used once

  @Test func `the counter is stored before the code is shown`() async throws {
    let storage = MemoryOathStorage()
    let client = try await makeClient(storage)
    let saved = try await client.saveCredential(credential(.hotp))
    await storage.fail()
    #expect(await thrown { try await client.generateCode(saved.id) } == "codeGenerationFailed")
    await storage.fail(false)
    #expect(try await client.generateCodeWithValidity(saved.id).counter == 1)
  }

  @Test func `a program that died after the write does not make the code again`() async throws {
    try await withHome { home in
      let client = try await makeClient(OathKeychainStorage(home: home))
      let saved = try await client.saveCredential(credential(.hotp))
      _ = try await client.generateCode(saved.id)
      // Never closed; the next program starts on what is on the disk.
      let next = try await makeClient(OathKeychainStorage(home: home))
      #expect(try await next.generateCodeWithValidity(saved.id).counter == 2)
    }
  }

  @Test func `programs that make codes at once never share a counter`() async throws {
    try await withHome { home in
      let first = try await makeClient(OathKeychainStorage(home: home))
      let saved = try await first.saveCredential(credential(.hotp))
      let counters = try await withThrowingTaskGroup(of: [Int].self) { group in
        for _ in 0..<6 {
          group.addTask {
            // A storage of its own has a connection of its own, as another process has.
            let client = try await makeClient(OathKeychainStorage(home: home))
            var used: [Int] = []
            for _ in 0..<8 { used.append(try await client.generateCodeWithValidity(saved.id).counter) }
            return used
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(counters.sorted() == Array(1...48))
    }
  }

  @Test func `tasks over a storage of the app never share a counter`() async throws {
    let client = try await makeClient { $0.enableCredentialCache = true }
    let saved = try await client.saveCredential(credential(.hotp))
    let counters = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 { group.addTask { try await client.generateCodeWithValidity(saved.id).counter } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counters.sorted() == Array(1...40))
  }

  @Test func `a storage of the app that loses a write does not bring a counter back`() async throws {
    let storage = MemoryOathStorage()
    let client = try await makeClient(storage)
    let saved = try await client.saveCredential(credential(.hotp))
    await storage.keepOld()
    #expect(try await client.generateCodeWithValidity(saved.id).counter == 1)
    #expect(try await client.generateCodeWithValidity(saved.id).counter == 2)
  }

  @Test func `a copy that an app kept does not bring a counter back`() async throws {
    try await withHome { home in
      let storage = OathKeychainStorage(home: home)
      let client = try await makeClient(storage)
      var old = try await client.saveCredential(credential(.hotp))
      for _ in 0..<3 { _ = try await client.generateCode(old.id) }
      old.displayIssuer = "My bank"
      #expect(try await client.saveCredential(old).counter == 3)
      try await storage.storeOathCredential(old)
      let stored = try #require(try await client.getCredential(old.id))
      #expect(stored.counter == 3 && stored.displayIssuer == "My bank")
      // Another secret is another authenticator.
      let other = OathCredential(
        id: old.id, issuer: old.issuer, accountName: old.accountName, oathType: .hotp,
        secretKey: vectorSecret(32))
      #expect(try await client.saveCredential(other).counter == 0)
    }
  }

  @Test func `what cannot make a code uses up no counter`() async throws {
    let storage = MemoryOathStorage()
    let client = try await makeClient(storage)
    for (digits, secret) in [(6, "no base32!"), (6, "JBSWY3DP"), (6, ""), (9, vectorSecret(20))] {
      let stored = credential(.hotp, digits: digits, account: "\(digits)\(secret)", secret: secret)
      try await storage.storeOathCredential(stored)
      #expect(await thrown { try await client.generateCode(stored.id) } == "codeGenerationFailed")
      #expect(try await client.getCredential(stored.id)?.counter == 0)
    }
    let last = try await client.saveCredential(credential(.hotp, counter: Int.max, account: "last"))
    #expect(await thrown { try await client.generateCode(last.id) } == "codeGenerationFailed")
    #expect(await thrown { try await client.generateCode("none") } == "credentialNotFound")
    let period = credential(.totp, period: 0, account: "period")
    try await storage.storeOathCredential(period)
    #expect(await thrown { try await client.generateCode(period.id) } == "codeGenerationFailed")
    #expect(await thrown { try await client.takeCode(period.id) } == "codeGenerationFailed")
  }
}
