import Foundation
import Testing

@testable import PasswordHashing

/// Cheap enough for many hashes in a test.
private let cheap = Argon2Cost(memoryKiB: 64, iterations: 1)

@Suite("Password hashing") struct PasswordHasherTests {
  /// Test vectors of the reference implementation (phc-winner-argon2, src/test.c, Argon2id version 0x13).
  @Test(
    arguments: [
      (
        "password",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
      ),
      ("password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
      ("password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
    ])
  func `known answers`(password: String, hash: String) async throws {
    let hasher = PasswordHasher(cost: cheap)
    #expect(try await hasher.verify(password, against: hash))
    #expect(try await hasher.verify("Password", against: hash) == false)
  }

  @Test func `a hash has the PHC form, its own salt, and fits one password`() async throws {
    let hasher = PasswordHasher(cost: cheap)
    let (one, two) = (try await hasher.hash("Correct horse"), try await hasher.hash("Correct horse"))
    #expect(one.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
    #expect(one.split(separator: "$").map(\.utf8.count) == [8, 4, 12, 22, 43])
    #expect(one != two)
    #expect(try await hasher.verify("Correct horse", against: one))
    for wrong in ["correct horse", "Correct horse ", "Correct hors", "Correct horse\0", ""] {
      #expect(try await hasher.verify(wrong, against: one) == false)
    }
  }

  @Test func `the standard cost is 19 MiB, two passes, one lane`() async throws {
    let hasher = PasswordHasher()
    let hash = try await hasher.hash("Correct horse")
    #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(try await hasher.verify("Correct horse", against: hash))
  }

  @Test func `the salt comes from the given source`() async throws {
    let hasher = PasswordHasher(
      cost: Argon2Cost(memoryKiB: 256, iterations: 2), randomBytes: { _ in Array("somesalt".utf8) })
    #expect(
      try await hasher.hash("password")
        == "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
  }

  @Test func `passwords are compared in Normalization Form KC and otherwise exactly`() async throws {
    let hasher = PasswordHasher(cost: cheap)
    let hash = try await hasher.hash("caf\u{E9}")
    #expect(try await hasher.verify("cafe\u{301}", against: hash))
    #expect(try await hasher.verify("cafe", against: hash) == false)
    let ligature = try await hasher.hash("\u{FB01}n")
    #expect(try await hasher.verify("fin", against: ligature))
    #expect(try await hasher.verify("FIN", against: ligature) == false)
    let withNUL = try await hasher.hash("a\0b")
    #expect(try await hasher.verify("a\0b", against: withNUL))
    #expect(try await hasher.verify("a", against: withNUL) == false)
    #expect(try await hasher.verify("a\0c", against: withNUL) == false)
  }

  @Test(arguments: [(0, false), (1, true), (1024, true), (1025, false), (1 << 20, false)])
  func `1 to 1024 bytes`(count: Int, isPossible: Bool) async throws {
    let hasher = PasswordHasher(cost: cheap)
    let password = String(repeating: "x", count: count)
    if isPossible {
      #expect(try await hasher.verify(password, against: hasher.hash(password)))
    } else {
      await #expect(throws: PasswordHashingError.passwordLength) { try await hasher.hash(password) }
      #expect(try await hasher.verify(password, against: hasher.hash("x")) == false)
      #expect(try await hasher.verify(password, against: nil) == false)
    }
  }

  @Test func `a hash that was made of Normalization Form C is still good for its password`() async throws {
    // Argon2id of the bytes EF AC 81 6E 65, "ﬁne" with the ligature, as the version before made it.
    let hash =
      "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$3JGEyTyGZQOaaXfZwGzF70c4/Wkszpxfiy2Ji1fIqIc"
    let hasher = PasswordHasher(cost: cheap)
    #expect(try await hasher.verify("\u{FB01}ne", against: hash))
    #expect(try await hasher.verify("fine", against: hash) == false)
  }

  @Test func `an unknown name costs what accounts do, always the same, in their proportion`() async throws {
    let old = Argon2Cost(memoryKiB: 64, iterations: 4)
    func hasher(_ counts: [String: Int]) -> PasswordHasher {
      let hasher = PasswordHasher(cost: cheap)
      hasher.setDecoys(like: counts, secret: Array(0..<32))
      return hasher
    }
    let counts = ["$argon2id$v=19$m=64,t=4,p=1$": 30, "$argon2id$v=19$m=64,t=1,p=1$": 70, "plain$": 5]
    let names = (0..<1000).map { "name \($0)" }
    let mixed = hasher(counts)
    let dear = names.filter { mixed.decoyCost(of: $0) == old }
    #expect((230...340).contains(dear.count))
    #expect(names.filter { hasher(counts).decoyCost(of: $0) == old } == dear)
    // Accounts are renewed: names go from the old cost to today's, and none comes back.
    var fewer = counts
    fewer["$argon2id$v=19$m=64,t=4,p=1$"] = 5
    fewer["$argon2id$v=19$m=64,t=1,p=1$"] = 95
    let later = hasher(fewer)
    let stillDear = names.filter { later.decoyCost(of: $0) == old }
    #expect(Set(stillDear).isSubset(of: dear) && stillDear.count < 100 && !stillDear.isEmpty)
    #expect(names.allSatisfy { hasher([:]).decoyCost(of: $0) == cheap })
    #expect(try await mixed.verify("password", against: nil, of: try #require(dear.first)) == false)
  }

  @Test func `without a hash nothing matches`() async throws {
    #expect(try await PasswordHasher(cost: cheap).verify("password", against: nil) == false)
  }

  @Test(
    arguments: [
      "", "password", "$2b$12$abcdefghijklmnopqrstuv",
      "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=99999999999999999999,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=262145,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=4294967295,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=1,p=0$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=1,p=9$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=+64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=064,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$t=1,m=64,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=1,p=1$c29t$c29tZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29t", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$",
      "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$!!!!ZXNhbHRzb21lc2FsdA",
      "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA==",
      "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA$",
      "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA\0",
      String(repeating: "$argon2id", count: 10_000),
    ])
  func `malformed and hostile stored hashes are refused before any work`(hash: String) async throws {
    let hasher = PasswordHasher(cost: cheap)
    await #expect {
      try await hasher.verify("password", against: hash)
    } throws: {
      if case .unusableHash? = $0 as? PasswordHashingError { true } else { false }
    }
    #expect(hasher.needsRehash(hash))
  }

  @Test func `a cost beyond the ceiling is accepted when it is the configured one`() async throws {
    let hasher = PasswordHasher(cost: Argon2Cost(memoryKiB: 64, iterations: 20))
    #expect(try await hasher.verify("x", against: hasher.hash("x")))
    #expect(try await hasher.verify("x", against: nil) == false)
  }

  @Test func `a cost that Argon2 does not know is an error, not a crash`() async throws {
    let hasher = PasswordHasher(cost: Argon2Cost(memoryKiB: 1, iterations: 0))
    await #expect(throws: PasswordHashingError.self) { try await hasher.hash("x") }
    await #expect(throws: PasswordHashingError.self) { try await hasher.verify("x", against: nil) }
  }

  @Test func `a hash of another cost should be made anew`() async throws {
    let hash = try await PasswordHasher(cost: cheap).hash("x")
    #expect(PasswordHasher(cost: cheap).needsRehash(hash) == false)
    #expect(PasswordHasher(cost: Argon2Cost(memoryKiB: 64, iterations: 2)).needsRehash(hash))
  }
}
