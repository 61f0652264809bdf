internal import Concurrency
internal import Crypto
internal import DeviceKeys
package import Foundation
internal import JOSE
internal import SSHFormats

/// Signs SSH sign-ins with this device's ``SSHKeys`` after asking a person; what all connections share.
///
/// It keeps no key. When ``AgentPolicy/remembersFor`` is set it keeps what unlocked one for that long, for one program, account and host.
package actor SSHAgent {
  /// What is remembered together.
  struct Purpose: Hashable {
    let tag: String
    let executable: String
    let account: String
    let host: [UInt8]
  }

  /// A sign-in that was found to be in order.
  struct SignIn {
    let key: SSHKey
    let request: UserAuthenticationRequest
    let data: [UInt8]
    let caller: Caller
    let host: HostKey
    let forwardedBy: HostKey?
  }

  nonisolated let policy: AgentPolicy
  nonisolated let log: @Sendable (String) -> Void
  private let keys: SSHKeys
  private let prompt: any AgentPrompt
  private let knownHosts: @Sendable () -> String
  private let clock: @Sendable () -> Date
  private let questions = AsyncMutex()
  private var waiting = 0
  private var remembered: [Purpose: (key: any DeviceKey, end: Date)] = [:]
  /// The hash of the passphrase that unlocks the agent; `nil` when it is not locked.
  private var lock: SHA256.Digest?

  /// - Parameters:
  ///   - knownHosts: The text of the person's `known_hosts`, read for each question.
  ///   - log: Takes one line for each refusal and each signature.
  package init(
    keys: SSHKeys, prompt: any AgentPrompt, policy: AgentPolicy = AgentPolicy(),
    knownHosts: @escaping @Sendable () -> String = { "" }, clock: @escaping @Sendable () -> Date = { Date() },
    log: @escaping @Sendable (String) -> Void
  ) {
    (self.keys, self.prompt, self.policy) = (keys, prompt, policy)
    (self.knownHosts, self.clock, self.log) = (knownHosts, clock, log)
  }

  /// The keys that are offered: none while the agent is locked.
  func offered() async -> [SSHKey] {
    guard lock == nil else { return [] }
    do { return try await keys.all() } catch {
      log("The keys cannot be listed: \(error.localizedDescription)")
      return []
    }
  }

  /// Locks the agent with a passphrase, and forgets what unlocked keys; `false` when it is locked already.
  func lock(with passphrase: [UInt8]) -> Bool {
    guard lock == nil else { return false }
    lock = SHA256.hash(data: passphrase)
    remembered = [:]
    log("Locked.")
    return true
  }

  /// Unlocks the agent; `false` for another passphrase.
  func unlock(with passphrase: [UInt8]) -> Bool {
    // Digests compare in constant time.
    guard let lock, lock == SHA256.hash(data: passphrase) else { return false }
    self.lock = nil
    log("Unlocked.")
    return true
  }

  /// The signature blob, or `nil` when it is refused.
  func signature(for signIn: SignIn) async -> [UInt8]? {
    let purpose = signIn.caller.executable.map {
      Purpose(
        tag: signIn.key.stored.tag, executable: $0, account: signIn.request.user, host: signIn.host.blob)
    }
    let what =
      "\(signIn.caller.text): sign-in as \(signIn.request.user) at \(signIn.host.fingerprint) with key \(signIn.key.name)"
    guard waiting < AgentPolicy.longestQueue else {
      log("Refused, too many requests wait. \(what)")
      return nil
    }
    waiting += 1
    defer { waiting -= 1 }
    do {
      let key = try await questions.withLock { try await unlocked(signIn, purpose) }
      guard lock == nil else { throw Refusal("the agent was locked") }
      let raw = try await key.signature(for: signIn.data)
      let blob = try SSHPublicKey.signatureBlob(raw: raw)
      log("Signed. \(what)")
      return blob
    } catch let refusal as Refusal {
      log("Refused, \(refusal.reason). \(what)")
    } catch {
      log("Failed: \(error.localizedDescription) \(what)")
    }
    return nil
  }

  private struct Refusal: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  private func unlocked(_ signIn: SignIn, _ purpose: Purpose?) async throws -> any DeviceKey {
    // While it waited for its turn, its caller may have gone, the agent been locked, or the same been allowed.
    guard !Task.isCancelled else { throw Refusal("the program is gone") }
    guard lock == nil else { throw Refusal("the agent is locked") }
    let now = clock()
    remembered = remembered.filter { $0.value.end > now }
    if let purpose, let known = remembered[purpose] { return known.key }
    let key = try await ask(signIn, holds: purpose == nil ? 0 : policy.remembersFor)
    if let purpose, policy.remembersFor > 0 { remember(key, for: purpose) }
    return key
  }

  private func ask(_ signIn: SignIn, holds: TimeInterval) async throws -> any DeviceKey {
    let text = knownHosts()
    let end = clock().addingTimeInterval(policy.questionTime)
    let validity =
      holds > 0
      ? "this program, account and host for \(Int(holds / 60)) minutes" : "this sign-in only"
    var facts = [
      AgentQuestion.Fact("Program", signIn.caller.text), AgentQuestion.Fact("Account", signIn.request.user),
      AgentQuestion.Fact("Host", Self.name(signIn.host, in: text)),
    ]
    if let forwarding = signIn.forwardedBy {
      facts.append(AgentQuestion.Fact("Forwarded by", Self.name(forwarding, in: text)))
    }
    facts += [AgentQuestion.Fact("Key", signIn.key.name), AgentQuestion.Fact("Good for", validity)]
    var question = AgentQuestion(
      title: "A program wants to sign in by SSH.", action: "Sign in?", facts: facts,
      needsPIN: signIn.key.stored.protection == .applicationPIN, terminal: nil)
    let tag = signIn.key.stored.tag
    for _ in 0..<AgentPolicy.tries {
      let answer = await prompt.ask(question, until: end)
      guard !Task.isCancelled else { throw Refusal("the program is gone") }
      switch answer {
      case .no: throw Refusal("nobody agreed")
      case .nobody(let reason): throw Refusal("nobody can be asked: \(reason)")
      case .yes where question.needsPIN: throw Refusal("there was no PIN")
      case .yes: return try await keys.store.openKey(tag: tag, unlock: .nothing)
      case .pin(let pin):
        do { return try await keys.store.openKey(tag: tag, unlock: .pin(pin)) } catch DeviceKeyError.wrongPIN
        {
          let left = try? await keys.store.pinTries(tag: tag)
          question.remark =
            "The PIN is wrong." + (left.map { " Wrong PINs that are still taken: \($0.left)." } ?? "")
        }
      }
    }
    throw Refusal("the PIN was wrong \(AgentPolicy.tries) times")
  }

  private static func name(_ host: HostKey, in knownHosts: String) -> String {
    let names = KnownHosts.names(of: host.blob, in: knownHosts)
    return names.isEmpty ? host.fingerprint : "\(names.joined(separator: ", ")) (\(host.fingerprint))"
  }

  private func remember(_ key: any DeviceKey, for purpose: Purpose) {
    let end = clock().addingTimeInterval(policy.remembersFor)
    remembered[purpose] = (key, end)
    // So that it does not stay in memory until somebody asks again.
    let time = Duration.seconds(policy.remembersFor)
    Task { [weak self] in
      try? await Task.sleep(for: time)
      await self?.forget(purpose, until: end)
    }
  }

  private func forget(_ purpose: Purpose, until end: Date) {
    if let known = remembered[purpose], known.end <= end { remembered[purpose] = nil }
  }
}
