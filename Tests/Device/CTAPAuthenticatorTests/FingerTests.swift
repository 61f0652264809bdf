import CBOR
import CommonFixtures
import Concurrency
import CTAP
import DeviceKeys
import Foundation
import PersonPrompts
import Testing
import UserVerification
import WebAuthnFormats

@testable import CTAPAuthenticator

#if os(Linux)
  import PersonFixtures
  import UserVerificationFprintd
#endif

extension PersonQuestion {
  /// What the question says of fingers.
  var finger: SecurityKeyQuestion.Finger {
    let remark = remark ?? ""
    return remark.contains("on the reader")
      ? .accepted : remark.contains("will do from then on") ? .trustedByPIN : .none
  }
}

/// Fingers in place of the PIN.
struct FingerTests {
  /// Has the PIN where it is needed; where a finger will do, leaves the question alone until it is taken away, or answers as a test says.
  final class Owner: PersonPrompt {
    private let seen = Locked<[PersonQuestion]>([])
    private let answers: Locked<[PersonAnswer]>

    init(_ answers: [PersonAnswer] = []) { self.answers = Locked(answers) }

    var questions: [PersonQuestion] { seen.withLock { $0 } }

    func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      seen.withLock { $0.append(question) }
      if let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return answer }
      guard question.finger == .accepted else {
        return question.needsPIN ? .pin(SecurityKeyScene.pin) : .yes
      }
      try? await untilCancelled()
      return .no
    }
  }

  private func isVerified(_ reply: (status: CTAPStatus?, map: CBORMap)) throws -> Bool {
    let data = try AuthenticatorData(parsing: try #require(reply.map[2]?.bytesValue))
    return data.flags.contains(.userVerified)
  }

  private func hasVerification(_ scene: SecurityKeyScene) async throws -> Bool? {
    scene.later(by: .seconds(11))
    return try await scene.send(4).map[4]?.mapValue?["uv"]?.boolValue
  }

  private static let verified: CBORMap = ["uv": true]

  @Test func `a finger does after the PIN was entered with it enrolled, which the question says`()
    async throws
  {
    let (owner, reader) = (Owner(), MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in"))
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    try await scene.setPIN()
    reader.happen(.finger("thumb"))
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(reader.reasons.isEmpty, "a finger was taken before the PIN")
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(owner.questions.map(\.finger) == [.trustedByPIN, .accepted])
    #expect(owner.questions.map(\.needsPIN) == [true, true])
    // Over restarts, which forget nothing of it.
    let again = try SecurityKeyScene(store: scene.store, prompt: owner, reader: reader, folder: scene.folder)
    reader.happen(.finger("thumb"))
    #expect(try await isVerified(again.register(options: Self.verified)))
    #expect(owner.questions.last?.finger == SecurityKeyQuestion.Finger.accepted)
  }

  @Test func `whoever enrols another finger needs the PIN once more`() async throws {
    let (owner, reader) = (Owner(), MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in"))
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    reader.enrolled = ["thumb", "theirs"]
    scene.later(by: .seconds(11))
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(owner.questions.map(\.finger) == [.trustedByPIN, .trustedByPIN])
    #expect(reader.reasons.isEmpty)
  }

  @Test func `one that is enrolled while the question is there does not count`() async throws {
    let (owner, reader) = (Owner(), MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in"))
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    // Once by the finger: what was enrolled then is believed for some seconds.
    reader.happen(.finger("thumb"))
    _ = try await scene.register(options: Self.verified)
    reader.enrolled = ["thumb", "theirs"]
    reader.happen(.finger("theirs"))
    let task = Task { try await scene.register(options: Self.verified).status }
    try await eventually("a finger is waited for") { reader.reasons.count == 2 }
    try await eventually("the PIN is asked for") { owner.questions.count == 3 && scene.key.isAsking }
    task.cancel()
    #expect(try await task.value == .keepaliveCancel)
    #expect(owner.questions.last?.finger == SecurityKeyQuestion.Finger.accepted)
  }

  @Test func `three unknown fingers leave the PIN alone, until it is entered`() async throws {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let owner = Owner()
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    let task = Task { try await scene.register(options: Self.verified).status }
    for count in 1...3 {
      try await eventually("a finger is waited for") { reader.reasons.count == count }
      reader.happen(.finger("somebody's"))
    }
    try await eventually("the PIN is still asked for") { scene.key.isAsking }
    task.cancel()
    #expect(try await task.value == .keepaliveCancel)
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(owner.questions.last?.finger == SecurityKeyQuestion.Finger.none && reader.reasons.count == 3)
    reader.happen(.finger("thumb"))
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(owner.questions.last?.finger == SecurityKeyQuestion.Finger.accepted)
  }

  @Test func `the PIN still answers, and ends the waiting for a finger`() async throws {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let pin = PersonAnswer.pin(SecurityKeyScene.pin)
    let scene = try SecurityKeyScene(prompt: Owner([pin, pin]), reader: reader)
    try await scene.setPIN()
    for _ in 0..<2 { #expect(try await isVerified(scene.register(options: Self.verified))) }
    // A finger that comes too late is the next question's.
    #expect(reader.reasons.count <= 1)
  }

  @Test(arguments: [PersonAnswer.no, .nobody("no terminal")])
  func `a finger agrees to nothing that was refused, or that nobody could see`(answer: PersonAnswer)
    async throws
  {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let scene = try SecurityKeyScene(prompt: Owner([.pin(SecurityKeyScene.pin), answer]), reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    #expect(try await scene.register(options: Self.verified).status == .operationDenied)
  }

  @Test func `a finger that is on the reader already agrees to nothing that nobody can see`() async throws {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let scene = try SecurityKeyScene(prompt: LateNobody(), reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    reader.happen(.finger("thumb"))
    #expect(try await scene.register(options: Self.verified).status == .operationDenied)
    #expect(try await scene.store.keys().count == 2)
  }

  /// Has the PIN; where a finger will do, finds only after it was shown that nobody can be asked.
  struct LateNobody: PersonPrompt {
    func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      guard question.finger == .accepted else { return .pin(SecurityKeyScene.pin) }
      try? await untilCancelled()
      return .nobody("pinentry ended")
    }
  }

  @Test func `without a PIN the first fingers verify, a yes alone does not, and others are none`()
    async throws
  {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let scene = try SecurityKeyScene(prompt: Owner([.yes]), reader: reader)
    #expect(try await hasVerification(scene) == true)
    let task = Task { try await isVerified(scene.register(options: Self.verified)) }
    try await eventually("a finger is waited for") { reader.reasons.count == 1 }
    reader.happen(.finger("thumb"))
    #expect(try await task.value)
    reader.enrolled = ["theirs"]
    #expect(try await hasVerification(scene) == false)
    #expect(try await scene.register(options: Self.verified).status == .invalidOption)
    reader.enrolled = []
    #expect(try await hasVerification(scene) == false)
  }

  @Test func `a passkey of a key with fingers is not made without verifying`() async throws {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let scene = try SecurityKeyScene(prompt: Owner(), reader: reader)
    #expect(try await scene.register(options: ["rk": true]).status == .pinRequired)
    // Nor after so many unknown ones that no finger is taken any more.
    for _ in 0..<3 { reader.happen(.finger("somebody's")) }
    #expect(try await scene.register(options: Self.verified).status == .operationDenied)
    #expect(reader.reasons.count == 3)
    #expect(try await scene.register(options: ["rk": true]).status == .pinRequired)
    #expect(try await scene.register(options: Self.verified).status == .verificationBlocked)
  }

  // Whoever enrolled it before there was a PIN does not have the PIN.
  @Test func `a finger that counted without a PIN counts no more when one is set`() async throws {
    let (owner, reader) = (Owner(), MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in"))
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    reader.happen(.finger("thumb"))
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(try await scene.setPINByPlatform() == .success)
    // What was enrolled is believed for some seconds.
    scene.later(by: .seconds(11))
    reader.happen(.finger("thumb"))
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(owner.questions.map(\.finger) == [.accepted, .none, .trustedByPIN])
    #expect(reader.reasons.count == 1, "a finger was taken before the PIN")
  }

  /// Has another finger enrolled while the person enters the PIN.
  struct Enrolling: PersonPrompt {
    let owner: Owner
    let reader: MemoryBiometricVerifier

    func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      if owner.questions.isEmpty { reader.enrolled.insert("theirs") }
      return await owner.ask(question, until: end)
    }
  }

  @Test func `the PIN trusts the fingers that were enrolled before the question, and none that came since`()
    async throws
  {
    let (owner, reader) = (Owner(), MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in"))
    let scene = try SecurityKeyScene(prompt: Enrolling(owner: owner, reader: reader), reader: reader)
    try await scene.setPIN()
    for _ in 0..<2 { #expect(try await isVerified(scene.register(options: Self.verified))) }
    #expect(owner.questions.map(\.finger) == [.trustedByPIN, .trustedByPIN])
  }

  @Test func `a finger that is trusted does without the PIN when that is blocked`() async throws {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in")
    let wrong = PersonAnswer.pin(PIN("000000"))
    let owner = Owner([.pin(SecurityKeyScene.pin), wrong, wrong, wrong])
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    #expect(try await scene.register(options: Self.verified).status == .pinAuthBlocked)
    reader.happen(.finger("thumb"))
    #expect(try await isVerified(scene.register(options: Self.verified)))
    #expect(owner.questions.last?.needsPIN == false)
  }

  @Test func `deleting everything forgets the fingers`() async throws {
    let (owner, reader) = (Owner(), MemoryBiometricVerifier(enrolled: ["thumb"], name: "built-in"))
    let scene = try SecurityKeyScene(prompt: owner, reader: reader)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    #expect(try await scene.send(7).status == .success)
    try await scene.setPIN()
    _ = try await scene.register(options: Self.verified)
    #expect(owner.questions.last?.finger == SecurityKeyQuestion.Finger.trustedByPIN)
  }

  #if os(Linux)
    /// fprintd's reader, to which a finger of a list is held each time that it waits for one.
    struct ShownFingers: BiometricVerifier {
      let service: FingerprintService
      let fingers: Locked<[String]>
      /// How often a finger was waited for.
      let waits = Locked(0)

      func availability() async throws -> BiometricAvailability { try await service.verifier.availability() }
      func enrolment() async throws -> EnrolmentFingerprint { try await service.verifier.enrolment() }

      func verify(
        reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void
      ) async throws -> BiometricVerification {
        try await service.verifier.verify(reason: reason) { step in
          progress(step)
          guard case .waiting = step else { return }
          waits.withLock { $0 += 1 }
          guard let finger = fingers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
          do { try service.show(finger) } catch { Issue.record(error) }
        }
      }
    }

    @Test(.timeLimit(.minutes(1))) func `fprintd's finger signs in, after another one was not known`()
      async throws
    {
      try await FingerprintService.run { service in
        let reader = ShownFingers(
          service: service, fingers: Locked(["left-thumb", "right-index-finger", "right-index-finger"]))
        let owner = Owner()
        let scene = try SecurityKeyScene(prompt: owner, reader: reader)
        try await scene.setPIN()
        #expect(try await hasVerification(scene) == true)
        #expect(try await isVerified(scene.register(options: Self.verified)))
        #expect(try await isVerified(scene.register(user: [8], options: ["uv": true, "rk": true])))
        #expect(try await isVerified(scene.signIn(options: Self.verified)))
        #expect(owner.questions.map(\.finger) == [.trustedByPIN, .accepted, .accepted])
        #expect(try service.isFree())
      }
    }

    @Test(.timeLimit(.minutes(1))) func `a request that is taken away leaves fprintd's reader to others`()
      async throws
    {
      try await FingerprintService.run { service in
        let reader = ShownFingers(service: service, fingers: Locked([]))
        let scene = try SecurityKeyScene(prompt: Owner(), reader: reader)
        try await scene.setPIN()
        _ = try await scene.register(options: Self.verified)
        let task = Task { try await scene.register(options: Self.verified).status }
        try await eventually("a finger is waited for") { reader.waits.withLock { $0 } == 1 }
        #expect(try !service.isFree())
        task.cancel()
        #expect(try await task.value == .keepaliveCancel)
        #expect(try service.isFree())
      }
    }
  #endif
}
