import CommonFixtures
import Bytes
import Crypto
import Foundation
import KeyAttestation
import StrictJSON
import SwiftASN1
import Testing
import X509

/// Damaged evidence must be refused, and never crash or hang the verifier.
@Suite("Damaged evidence")
struct MutationTests {
  @Test(arguments: 0..<8)
  func `an Android chain with damaged bytes is refused`(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      var scenario = AndroidScenario()
      scenario.leaf.extensions.append(PolicyExtensions.policies)
      scenario.intermediate.extensions.append(PolicyExtensions.policies)
      let mutation = Mutation(&generator)
      let place = Int.random(in: 0...1, using: &generator)
      scenario.changesChain = { $0.replacing(mutation.applied(to: $0[place]), at: place) }
      try await expectRefusal { [scenario] in try await scenario.verify() }
    }
  }

  @Test(arguments: 0..<8)
  func `a KeyDescription with damaged bytes under a valid signature never gains a level`(_ seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      var scenario = AndroidScenario()
      let mutation = Mutation(&generator)
      scenario.changesExtension = { mutation.applied(to: $0) }
      // A change in a member that nobody reads is not a fault, so this may pass too.
      do throws(any Error) {
        let attestation = try await scenario.verify()
        #expect(attestation.kind == "android")
      } catch {
        #expect(error is AttestationFailure, "\(error)")
      }
    }
  }

  @Test(arguments: 0..<8)
  func `critical policies with damaged bytes under a valid signature are read or refused`(
    _ seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      var scenario = AndroidScenario()
      let damaged = Mutation(&generator).applied(to: Array(PolicyExtensions.policies.value))
      scenario.intermediate.extensions.append(PolicyExtensions.critical([2, 5, 29, 32], damaged))
      let isReadable = (try? CertificatePolicies(derEncoded: damaged)) != nil
      do throws(any Error) {
        _ = try await scenario.verify()
        #expect(isReadable)
      } catch {
        let failure = try #require(error as? AttestationFailure, "\(error)")
        #expect(!isReadable && failure.chainFault?.cause == .policiesUnreadable, "\(failure)")
      }
    }
  }

  @Test(arguments: 0..<8, 0..<3)
  func `a TPM's structures with damaged bytes are refused`(_ seed: UInt64, _ structure: Int) async throws {
    var generator = SeededGenerator(seed: seed * 3 + UInt64(structure))
    for _ in 0..<40 {
      var scenario = TPMScenario()
      let mutation = Mutation(&generator)
      let member = ["certInfo", "sig", "pubArea"][structure]
      scenario.changesMember = { json in
        var json = json
        let bytes = Base64URL.decode(json[member]?.stringValue ?? "") ?? []
        json[member] = .string(Base64URL.encode(mutation.applied(to: bytes)))
        return .object(json)
      }
      try await expectRefusal { [scenario] in try await scenario.verify() }
    }
  }

  private func expectRefusal(_ body: @Sendable () async throws -> VerifiedAttestation) async throws {
    await #expect(throws: AttestationFailure.self) { _ = try await body() }
  }
}

/// One damage: bytes changed, removed, doubled, or cut off. Always leaves other bytes than before.
struct Mutation: Sendable {
  private let kind: Int
  private let place: Int
  private let value: UInt8

  init(_ generator: inout SeededGenerator) {
    kind = Int.random(in: 0..<5, using: &generator)
    place = Int.random(in: 0..<100_000, using: &generator)
    value = UInt8.random(in: 1...255, using: &generator)
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return [value] }
    var bytes = bytes
    let index = place % bytes.count
    switch kind {
    case 0: bytes[index] ^= value
    case 1: bytes[index] ^= 1 << (value & 7)
    case 2: bytes.remove(at: index)
    case 3: bytes.insert(value, at: index)
    default: bytes = Array(bytes[..<index])
    }
    return bytes
  }
}
