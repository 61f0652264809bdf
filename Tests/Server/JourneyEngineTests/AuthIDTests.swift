import Bytes
import Concurrency
import Crypto
import Foundation
@testable import JourneyEngine
import StrictJSON
import Testing

@Suite("authId")
struct AuthIDTests {
  private static let file = journeyFile([
    FileNode("a", "Ask", ["outcome": "b"]), FileNode("b", "Ask", ["outcome": .string(success)]),
  ])
  private let answer = [posted("IDToken1", "ada")]

  @Test func `it is a compact JWE with direct encryption by A256GCM (RFC 7516 §7.1)`() async throws {
    let fixture = try Fixture(Self.file)
    let parts = try await fixture.firstStep().authID.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 5)
    #expect(parts[1].isEmpty)
    let header = try JSONValue(parsing: #require(Base64URL.decode(parts[0])))
    #expect(header["alg"] == "dir")
    #expect(header["enc"] == "A256GCM")
    #expect(try #require(Base64URL.decode(parts[2])).count == 12)
    #expect(try #require(Base64URL.decode(parts[4])).count == 16)
  }

  @Test func `nothing of the state can be read from it`() async throws {
    let fixture = try Fixture(Self.file)
    let second = try await fixture.step(fixture.answer(fixture.firstStep(), answer))
    for part in second.authID.split(separator: ".") {
      let text = String(decoding: Base64URL.decode(part) ?? [], as: UTF8.self)
      #expect(!text.contains("ada") && !text.contains("alpha"))
    }
  }

  @Test func `two starts have nothing in common but the form`() async throws {
    let fixture = try Fixture(Self.file)
    let first = try await fixture.firstStep().authID.split(separator: ".")
    let second = try await fixture.firstStep().authID.split(separator: ".")
    #expect(zip(first, second).allSatisfy { $0 != $1 })
  }

  @Test(arguments: 0..<5)
  func `a change in any part makes it stale`(part: Int) async throws {
    let fixture = try Fixture(Self.file)
    let step = try await fixture.firstStep()
    let parts = step.authID.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var variants = [parts[part] + "A", parts[part] + "=", String(parts[part].dropLast())]
    if var bytes = Base64URL.decode(parts[part]), !bytes.isEmpty {
      for index in bytes.indices {
        bytes[index] ^= 1
        variants.append(Base64URL.encode(bytes))
        bytes[index] ^= 1
      }
    }
    for variant in variants where variant != parts[part] {
      var changed = parts
      changed[part] = variant
      var forged = step
      forged.authID = changed.joined(separator: ".")
      let refused = await refusal { try await fixture.answer(forged, answer) }
      #expect(refused?.isStale == true, "\(variant)")
    }
    #expect(await fixture.ledger.writes == 0)
    _ = try await fixture.step(fixture.answer(step, answer))
  }

  @Test(arguments: ["", ".", "....", ".....", "a.b.c.d.e", String(repeating: "A", count: 200_000)])
  func `what was never an authId is stale`(text: String) async throws {
    let fixture = try Fixture(Self.file)
    let step = JourneyStep(authID: text, callbacks: [])
    #expect(await refusal { try await fixture.answer(step, answer) }?.isStale == true)
  }

  @Test func `one sealed under another secret is stale`() async throws {
    let step = try await Fixture(Self.file).firstStep()
    let other = try Fixture(Self.file, secret: Array(repeating: 8, count: 32))
    #expect(await refusal { try await other.answer(step, answer) }?.isStale == true)
  }

  @Test func `any server with the secret and the ledger can go on`() async throws {
    let step = try await Fixture(Self.file).firstStep()
    let other = try Fixture(Self.file)
    _ = try await other.step(other.answer(step, answer))
  }

  @Test func `one of another realm is stale, and stays usable in its own`() async throws {
    let fixture = try Fixture(Self.file)
    let step = try await fixture.firstStep()
    let beta = RequestFacts(realm: "beta")
    let refused = await refusal {
      try await fixture.engine.resume(authID: step.authID, callbacks: answer, request: beta)
    }
    #expect(refused?.isStale == true)
    _ = try await fixture.step(fixture.answer(step, answer))
  }

  @Test func `one of a journey that is gone is stale`() async throws {
    let step = try await Fixture(Self.file).firstStep()
    let renamed = try Fixture(journeyFile([FileNode("a", "Ask", ["outcome": .string(success)])], name: "K"))
    #expect(await refusal { try await renamed.answer(step, answer) }?.isStale == true)
    let without = try Fixture(journeyFile([FileNode("z", "Ask", ["outcome": .string(success)])]))
    #expect(await refusal { try await without.answer(step, answer) }?.isStale == true)
  }

  @Test func `an answered one is stale`() async throws {
    let fixture = try Fixture(Self.file)
    let step = try await fixture.firstStep()
    _ = try await fixture.step(fixture.answer(step, answer))
    #expect(await refusal { try await fixture.answer(step, answer) }?.isStale == true)
  }

  @Test func `of many answers at once exactly one is evaluated`() async throws {
    let fixture = try Fixture(Self.file)
    let step = try await fixture.firstStep()
    let answer = answer
    let results = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 {
        group.addTask { await refusal { try await fixture.answer(step, answer) } == nil }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 } == 1)
    #expect(await fixture.ledger.writes == 32)
  }

  @Test func `starting a journey writes nothing`() async throws {
    let fixture = try Fixture(Self.file)
    _ = try await fixture.firstStep()
    #expect(await fixture.ledger.writes == 0)
  }

  @Test func `the journey's time runs from its start, whatever happens in between`() async throws {
    let fixture = try Fixture(Self.file)
    let first = try await fixture.firstStep()
    fixture.advance(299)
    let second = try await fixture.step(fixture.answer(first, answer))
    fixture.advance(1)
    #expect(await refusal { try await fixture.answer(second, answer) }?.isStale == true)
  }

  @Test func `a ledger that cannot write leaves the step unanswered`() async throws {
    let fixture = try Fixture(Self.file)
    let step = try await fixture.firstStep()
    await fixture.ledger.breakDown()
    let refused = await refusal { try await fixture.answer(step, answer) }
    guard case .unavailable = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  @Test
  func
    `a server that cannot know which keys count starts and resumes nothing, and leaves the step unanswered`()
    async throws
  {
    let isCutOff = Locked(false)
    let fixture = try Fixture(Self.file) {
      if isCutOff.withLock({ $0 }) { throw SampleNodes.Broken(description: "cut off") }
    }
    let step = try await fixture.firstStep()
    isCutOff.withLock { $0 = true }
    for refused in [
      await refusal { try await fixture.start() }, await refusal { try await fixture.answer(step, answer) },
    ] {
      guard case .unavailable(let reason)? = refused, reason.contains("cut off") else {
        Issue.record("\(String(describing: refused))")
        continue
      }
    }
    #expect(await fixture.ledger.writes == 0)
    isCutOff.withLock { $0 = false }
    #expect(await refusal { try await fixture.answer(step, answer) } == nil)
  }

  @Test
  func `a server without any key refuses as one that is not there, and not as if the answer were wrong`()
    async throws
  {
    let secret = [UInt8](repeating: 7, count: 32)
    let secrets = Locked([secret])
    let fixture = try Fixture(Self.file, secrets: secrets)
    let step = try await fixture.firstStep()
    secrets.withLock { $0 = [] }
    for refused in [
      await refusal { try await fixture.start() }, await refusal { try await fixture.answer(step, answer) },
    ] {
      guard case .unavailable? = refused else {
        Issue.record("\(String(describing: refused))")
        continue
      }
    }
    secrets.withLock { $0 = [secret] }
    #expect(await refusal { try await fixture.answer(step, answer) } == nil)
  }

  @Test func `state that has grown beyond all bounds ends the journey`() async throws {
    let inputs: [JSONValue] = (0..<4).map { .string("i\($0)") }
    let fixture = try Fixture(
      journeyFile([
        FileNode("a", "Ask", ["outcome": "b"], ["callbacks": [.array(["Wide"] + inputs)]]),
        FileNode("b", "Ask", ["outcome": .string(success)]),
      ]))
    let wide = JSONValue.object([
      "input": .array(
        (0..<4).map { ["name": "IDToken1i\($0)", "value": .string(String(repeating: "x", count: 60_000))] })
    ])
    let ended = try await fixture.failure(fixture.answer(fixture.firstStep(), [wide]))
    #expect(ended.reasons.contains { $0.contains("state has grown") })
  }

  @Test func `each step has a key of its own, which HKDF expands from its id (RFC 5869)`() async throws {
    let secret = [UInt8](repeating: 7, count: 32)
    let fixture = try Fixture(Self.file, secrets: Locked([secret]))
    let texts = try await fixture.firstStep().authID.split(separator: ".", omittingEmptySubsequences: false)
    let parts = try texts.map { try #require(Base64URL.decode($0)) }
    let id = try #require(JSONValue(parsing: parts[0])["kid"]?.stringValue.flatMap { Base64URL.decode($0) })
    let key = HKDF<SHA256>.expand(
      pseudoRandomKey: HKDF<SHA256>.extract(
        inputKeyMaterial: SymmetricKey(data: secret), salt: Array("sealring authId 1".utf8)),
      info: id, outputByteCount: 32)
    let box = try AES.GCM.SealedBox(
      nonce: AES.GCM.Nonce(data: parts[2]), ciphertext: parts[3], tag: parts[4])
    let opened = try AES.GCM.open(box, using: key, authenticating: Array(texts[0].utf8))
    #expect(try JSONValue(parsing: Array(opened)).objectValue != nil)
  }

  @Test func `what an earlier key sealed goes on under a new one, while the earlier one is accepted`()
    async throws
  {
    let secrets = Locked<[[UInt8]]>([[UInt8](repeating: 7, count: 32)])
    let fixture = try Fixture(Self.file, secrets: secrets)
    let step = try await fixture.firstStep()
    secrets.withLock { $0.insert([UInt8](repeating: 8, count: 32), at: 0) }
    let second = try await fixture.step(fixture.answer(step, answer))
    secrets.withLock { $0 = [$0[0]] }
    // Sealed by the new key alone.
    #expect(fixture.engine.step(ofAuthID: second.authID) != nil)
    #expect(fixture.engine.step(ofAuthID: step.authID) == nil)
    secrets.withLock { $0 = [] }
    let refused = await refusal { try await fixture.answer(second, answer) }
    #expect(refused != nil)
  }
}
