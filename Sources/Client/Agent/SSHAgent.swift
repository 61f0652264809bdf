internal import Concurrency
internal import DeviceKeys
package import Foundation
internal import JOSE
internal import PersonPrompts
internal import SSHFormats
internal import TerminalText

/// Signs SSH sign-ins with this device's ``SSHKeys`` after asking a person. All connections share it.
package struct SSHAgent: Sendable {
  /// A sign-in that passed all checks.
  struct SignIn {
    let key: SSHKey
    let request: UserAuthenticationRequest
    let data: [UInt8]
    let caller: Caller
    let host: SessionBinding
    /// The hosts that forward the agent, the nearest first.
    let hops: [SessionBinding]
  }

  static let purpose = "SSH sign-in"

  let questions: AgentQuestions
  /// Whether requests from a host to which the agent was forwarded are answered.
  let allowsForwarding: Bool
  /// Whether to sign a sign-in that does not name the host's key, as servers other than OpenSSH request. Never for a forwarded agent.
  let allowsOldForm: Bool
  private let keys: SSHKeys
  private let certificates: SSHCertificates?
  private let knownHosts: @Sendable () -> String
  private let clock: @Sendable () -> Date
  private let reportedFaults = Locked<Set<DeviceKeyError>>([])

  /// - Parameters:
  ///   - certificates: The certificates that are offered beside the keys.
  ///   - knownHosts: The text of the person's `known_hosts`, read for each question.
  package init(
    keys: SSHKeys, certificates: SSHCertificates? = nil, questions: AgentQuestions,
    allowsForwarding: Bool = false, allowsOldForm: Bool = false,
    knownHosts: @escaping @Sendable () -> String = { "" }, clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.keys, self.certificates, self.questions) = (keys, certificates, questions)
    (self.allowsForwarding, self.allowsOldForm) = (allowsForwarding, allowsOldForm)
    (self.knownHosts, self.clock) = (knownHosts, clock)
  }

  /// The conversation of a connection.
  package func conversation(with caller: Caller) -> SSHConversation {
    SSHConversation(agent: self, caller: caller)
  }

  /// The keys that are offered; none while the agent is locked. One that cannot be read is left out and logged once.
  func offered() async -> [SSHKey] {
    guard await !questions.isLocked else { return [] }
    do {
      let (readable, faults) = try await keys.readable()
      for fault in faults where reportedFaults.withLock({ $0.insert(fault).inserted }) {
        questions.log.note("Left out a key for SSH. \(fault.localizedDescription)")
      }
      return readable
    } catch {
      questions.log.note("The keys for SSH cannot be listed: \(error.localizedDescription)")
      return []
    }
  }

  /// The identities that clients are told: each key, preceded by its certificate until that expires.
  func identities() async -> [AgentReply.Identity] {
    let now = seconds
    var identities: [AgentReply.Identity] = []
    for key in await offered() {
      do {
        if let certificate = try certificates?.certificate(of: key),
          now < certificate.contents.validity.upperBound
        {
          identities.append(AgentReply.Identity(blob: certificate.blob, comment: key.name))
        }
      } catch {
        questions.log.note("The certificate of \(key.name) cannot be read: \(error.localizedDescription)")
      }
      identities.append(AgentReply.Identity(blob: key.publicKey.blob, comment: key.name))
    }
    return identities
  }

  private var seconds: UInt64 { UInt64(max(0, clock().timeIntervalSince1970)) }

  /// The signature blob; `nil` when the signature is refused.
  func signature(for signIn: SignIn) async -> [UInt8]? {
    await questions.perform(use(for: signIn)) { key in
      try await keys.signatureBlob(over: signIn.data, by: signIn.key, key)
    }
  }

  private func use(for signIn: SignIn) -> KeyUse {
    let text = knownHosts()
    var facts = [
      AgentQuestion.Fact("Account", signIn.request.user),
      AgentQuestion.Fact("Host", names(of: signIn.host, in: text)),
      // A row of its own, so that no name can push it out of sight.
      AgentQuestion.Fact("Host key", signIn.host.hostKey.fingerprint),
    ]
    if signIn.request.hostKey == nil {
      facts.append(AgentQuestion.Fact("Beware", "the signature names no host: another may be meant"))
    }
    // The local `ssh` vouches only for the first host that forwards. Each further host is what the one before it says, which may have got
    // its binding as an ordinary client.
    if let hop = signIn.hops.first {
      facts.append(AgentQuestion.Fact("Forwarded by", names(of: hop, in: text)))
      facts.append(AgentQuestion.Fact("Forwarder's key", hop.hostKey.fingerprint))
    }
    if let last = signIn.hops.dropFirst().last {
      let (name, others) = (names(of: last, in: text), signIn.hops.count - 1)
      facts.append(
        AgentQuestion.Fact(
          "Then, it says, by", others == 1 ? name : "\(others) more hosts, the last one \(name)"))
    }
    if let certificate = signIn.request.certificate {
      facts += [
        AgentQuestion.Fact("Certificate", TerminalText.line(certificate.contents.identifier, columns: 60)),
        AgentQuestion.Fact("Certified for", Self.list(certificate.contents.principals)),
        AgentQuestion.Fact("Authority", certificate.authority.fingerprint),
      ]
    }
    return KeyUse(
      purpose: Self.purpose, title: "A program wants to sign in by SSH.", action: "Sign in?",
      caller: signIn.caller, key: signIn.key.stored, store: keys.store, keyName: signIn.key.name,
      facts: facts,
      // Requests of a forwarding host are never the same as those of this machine's own programs. A security key states for each signature
      // that somebody was there.
      sameness: signIn.request.hostKey == nil || signIn.key.passkey != nil
        ? nil
        : [Array(signIn.request.user.utf8), signIn.host.hostKey.blob] + signIn.hops.map(\.hostKey.blob))
  }

  /// The first principals, and how many more there are.
  private static func list(_ principals: [String]) -> String {
    let shown = principals.prefix(4).map { TerminalText.line($0, columns: 40) }.joined(separator: ", ")
    return principals.count > 4 ? "\(shown) and \(principals.count - 4) more" : shown
  }

  /// The host's names, by its key or by an authority that the person trusts for them. Long names keep their end, which identifies the host.
  private func names(of host: SessionBinding, in knownHosts: String) -> String {
    var names = KnownHosts.names(of: host.hostKey.blob, in: knownHosts)
    if names.isEmpty, let certificate = host.certificate,
      certificate.isValid(at: seconds)
    {
      names = KnownHosts.names(in: certificate, by: knownHosts)
    }
    guard !names.isEmpty else { return "not in known_hosts" }
    return names.map { TerminalText.end(of: $0, columns: 50) }.joined(separator: ", ")
  }
}
