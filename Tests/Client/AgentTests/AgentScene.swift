import CommonFixtures
import Concurrency
import Crypto
import DeviceKeys
import Foundation
import PersonPrompts
import ProofFixtures
import SSHFormats
import WebAuthnAuthenticator

@testable import Agent

/// An agent with a key in memory, a person who answers as told, and a host that signs its sessions.
struct AgentScene {
  let agent: SSHAgent
  let questions: AgentQuestions
  let keys: SSHKeys
  let key: SSHKey
  let person: AgentPerson
  let host = TestHost()
  /// From the time of the certificates that OpenSSH makes and reads.
  let date = ManualDate(Date())

  static let pin = PIN("294751")

  init(
    pin: PIN? = AgentScene.pin, answers: [PersonAnswer], policy: AgentPolicy = AgentPolicy(),
    allowsForwarding: Bool = false, allowsOldForm: Bool = false, asking prompt: (any PersonPrompt)? = nil,
    log file: URL? = nil,
    knownHosts: String = "", readingKnownHosts read: (@Sendable () -> String)? = nil,
    certificates: SSHCertificates? = nil, securityKeysIn folder: URL? = nil,
    pinAttempts: PINAttemptPolicy = .standard, telling tell: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    let store = MemoryKeyStore(pinAttempts: pinAttempts)
    _ = try await store.createKey(tag: "bound", protection: .none, unlock: .nothing)
    keys = SSHKeys(
      store: store,
      credentials: folder.map { CredentialStore(directory: $0, encryption: NoEncryption()) })
    key = try await folder == nil ? keys.add("laptop", pin: pin) : keys.addSecurityKey("laptop", pin: pin)
    person = AgentPerson(answers)
    let date = date
    questions = AgentQuestions(
      prompt: prompt ?? person, policy: policy, log: AgentLog(file: file, clock: { date.now }, tell: tell),
      clock: { date.now })
    agent = SSHAgent(
      keys: keys, certificates: certificates, questions: questions, allowsForwarding: allowsForwarding,
      allowsOldForm: allowsOldForm, knownHosts: read ?? { knownHosts }, clock: { date.now })
  }

  func conversation(by executable: String? = "/usr/bin/ssh") -> SSHConversation {
    agent.conversation(with: Caller(user: 0, process: 7, executable: executable))
  }

  /// What `ssh` sends to have a sign-in signed.
  func signRequest(_ session: [UInt8], user: String = "ada", at host: TestHost? = nil) -> [UInt8] {
    let data = UserAuthenticationRequest.bytes(
      sessionIdentifier: session, user: user, key: key.publicKey, hostKey: host?.blob)
    return AgentRequest.sign(key: key.publicKey.blob, data: data, flags: 0).bytes
  }

  /// Binds and asks for a signature, as `ssh` does; the reply to the latter.
  func signIn(
    _ conversation: SSHConversation, session: UInt8 = 1, user: String = "ada"
  ) async throws -> AgentReply {
    let session = [UInt8](repeating: session, count: 32)
    _ = await conversation.answer(to: try host.binding(session))
    return await conversation.answer(to: signRequest(session, user: user, at: host))
  }
}

/// Records of security keys as they are.
struct NoEncryption: CredentialEncryption {
  func encrypt(_ record: Data) -> Data { record }

  func decrypt(_ record: Data) -> Data? { record }
}

/// An SSH server's key.
struct TestHost {
  private let key = Curve25519.Signing.PrivateKey()

  var blob: [UInt8] {
    let writer: [SSHField] = [.text("ssh-ed25519"), .string(Array(key.publicKey.rawRepresentation))]
    return SSHField.bytes(writer)
  }

  func binding(_ session: [UInt8], forwarding: Bool = false, signing other: [UInt8]? = nil) throws -> [UInt8]
  {
    let signature: [SSHField] = [
      .text("ssh-ed25519"), .string(Array(try key.signature(for: other ?? session))),
    ]
    let writer: [SSHField] = [
      .string(blob), .string(session), .nested(signature), .boolean(forwarding),
    ]
    return AgentRequest.extension(name: SessionBinding.name, contents: SSHField.bytes(writer)).bytes
  }
}

/// Answers one question after the other; no to those that were not expected.
final class AgentPerson: PersonPrompt {
  private let state: Locked<(answers: [PersonAnswer], questions: [PersonQuestion])>

  init(_ answers: [PersonAnswer]) { state = Locked((answers, [])) }

  var questions: [PersonQuestion] { state.withLock { $0.questions } }

  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    state.withLock { state in
      state.questions.append(question)
      return state.answers.isEmpty ? .no : state.answers.removeFirst()
    }
  }
}

extension AgentReply {
  var isSignature: Bool { if case .signature = self { true } else { false } }
}
