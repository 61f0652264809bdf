import BenchmarkReport
import CBOR
import Crypto
import Foundation
import JourneyEngine
import StrictJSON

/// What every request goes through, each beside the operation that it cannot do without, in the same run and in turns.
///
/// | Part | Beside |
/// |---|---|
/// | JSON of a device's answer, read and written | Foundation's `JSONSerialization` |
/// | CBOR of an attestation, read and written | SHA-256 over the same bytes |
/// | opening an `authId` | HKDF-Expand and AES-GCM's opening of as many bytes |
/// | starting a journey: a node that asks, its position sealed | HKDF-Expand and AES-GCM's sealing of as many bytes |
/// | a whole step without a store: opened, matched, judged, ended | the same two |
@main
struct PartsBench {
  static func main() async throws {
    let bench = try await PartsBench()
    try await bench.json()
    try await bench.cbor()
    try await bench.journeys()
  }

  private let engine: JourneyEngine
  private let step: JourneyStep
  private let request = RequestFacts(realm: "alpha", locales: ["en"])

  private init() async throws {
    var catalog = JourneyCatalog(registry: NodeRegistry(["Question": { _ in Question() }]))
    try catalog.load(Array(Self.journey.utf8), realm: "alpha", source: "bench")
    let loaded = catalog
    let key = SealingKey(serverSecret: Array(repeating: 7, count: 32))
    engine = JourneyEngine(
      catalogs: { loaded }, sealing: { [key] }, steps: Steps(), clock: { Date() },
      randomBytes: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      })
    guard case .step(let step) = try await engine.start(journey: "Bench", request: request) else {
      throw WrongResult()
    }
    self.step = step
  }

  // MARK: JSON and CBOR

  private func json() async throws {
    var answer: JSONObject = ["authId": .string(step.authID)]
    answer["callbacks"] = .array(step.callbacks.map(JSONValue.object))
    let (value, bytes) = (JSONValue.object(answer), JSONValue.object(answer).serialized)
    let data = Data(bytes)
    let object = try JSONSerialization.jsonObject(with: data)
    try await Comparison.measure(
      base: { keep(try JSONSerialization.jsonObject(with: data)) },
      subject: { keep(try JSONValue(parsing: bytes)) }
    ).report(base: "json-read-foundation", subject: "json-read", ratio: "json-read-of-foundation")
    try await Comparison.measure(
      base: { keep(try JSONSerialization.data(withJSONObject: object)) }, subject: { keep(value.serialized) }
    ).report(base: "json-write-foundation", subject: "json-write", ratio: "json-write-of-foundation")
  }

  private func cbor() async throws {
    let value: CBORValue = [
      "fmt": "packed", "authData": .bytes([UInt8](repeating: 3, count: 164)),
      "attStmt": ["alg": -7, "sig": .bytes([UInt8](repeating: 4, count: 71))],
    ]
    let bytes = value.encoded
    try await Comparison.measure(
      base: { keep(SHA256.hash(data: bytes)) }, subject: { keep(try CBORValue(decoding: bytes)) }
    ).report(base: "sha256", subject: "cbor-read", ratio: "cbor-read-of-sha256")
    try await Comparison.measure(
      base: { keep(SHA256.hash(data: bytes)) }, subject: { keep(value.encoded) }
    ).report(base: "sha256-again", subject: "cbor-write", ratio: "cbor-write-of-sha256")
  }

  // MARK: Journeys

  private func journeys() async throws {
    let content = [UInt8](repeating: 5, count: step.authID.utf8.count * 3 / 4 - 80)
    let root = SymmetricKey(size: .bits256)
    let id = [UInt8](repeating: 6, count: 16)
    func key() -> SymmetricKey {
      HKDF<SHA256>.expand(pseudoRandomKey: root, info: id, outputByteCount: 32)
    }
    let box = try AES.GCM.seal(content, using: key())
    try await Comparison.measure(
      base: { keep(try AES.GCM.open(box, using: key())) },
      subject: { keep(engine.step(ofAuthID: step.authID)) }
    ).report(base: "aes-gcm-open", subject: "authid-open", ratio: "authid-open-of-aes-gcm")
    try await Comparison.measure(
      base: { keep(try AES.GCM.seal(content, using: key())) },
      subject: { keep(try await engine.start(journey: "Bench", request: request)) }
    ).report(base: "aes-gcm-seal", subject: "journey-start", ratio: "journey-start-of-aes-gcm")
    let answer: [JSONValue] = [["type": "NameCallback", "input": [["name": "IDToken1", "value": "ada"]]]]
    try await Comparison.measure(
      base: { keep(try AES.GCM.open(box, using: key())) },
      subject: {
        guard
          case .success = try await engine.resume(
            authID: step.authID, callbacks: answer, request: request)
        else { throw WrongResult() }
      }
    ).report(base: "aes-gcm-open-again", subject: "journey-step", ratio: "journey-step-of-aes-gcm")
  }

  private static let journey = """
    {"tree": {"_id": "Bench", "entryNodeId": "q", "nodes": {
      "q": {"nodeType": "Question", "displayName": "Question",
        "connections": {"outcome": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}}}},
     "nodes": {"q": {"_id": "q"}}}
    """
}

/// Asks for a name, and takes any.
private struct Question: JourneyNode {
  let outcomes = ["outcome"]

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let name = context.reply?.text() else {
      context.notes = ["challenge": .string(String(repeating: "c", count: 44)), "sentAt": 1_800_000_000_000]
      return .callbacks([
        OutgoingCallback(type: "NameCallback", outputs: [.init("prompt", "Name")], inputs: [.init("", "")])
      ])
    }
    context.state.username = name
    return .outcome("outcome")
  }
}

/// Lets every answer be the first.
private struct Steps: StepLedger {
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool { true }
  func prolong(_ key: [UInt8], until expiry: Date) async throws {}
  func expiry(of key: [UInt8]) async throws -> Date? { nil }
}

private struct WrongResult: Error {}

/// Keeps the optimiser from leaving the work out.
@inline(never) private func keep<Value>(_ value: Value) {}
