internal import SSHFormats

/// One connection of an SSH client, with the server that it is for.
///
/// OpenSSH (from 8.9) binds a connection to a server before it asks for a signature. The rules are those of OpenSSH's own agent: a sign-in
/// must be for the session that was bound last, and a connection that was bound for a sign-in cannot be bound again. One rule is stricter:
/// the signed data must name the host's key. A binding only shows that a host signed a session identifier, which need not belong to its own
/// session.
package actor SSHConversation: AgentConversation {
  package static let maximumBytes = AgentRequest.maximumBytes
  package static let refusal = AgentReply.failure.bytes

  /// How many servers one connection may pass through, as in OpenSSH.
  private static let maximumBindings = 16

  private let agent: SSHAgent
  private let caller: Caller
  private var bindings: [SessionBinding] = []
  /// Whether a binding was refused, so that the purpose of the connection is unknown.
  private var isSpoiled = false
  /// Whether a person refused: further requests of the same connection are not shown to them.
  private var isRefused = false

  init(agent: SSHAgent, caller: Caller) { (self.agent, self.caller) = (agent, caller) }

  package func reply(to message: [UInt8]) async -> [UInt8] { await answer(to: message).bytes }

  /// Returns the answer to a message. A malformed or unsupported message is answered with a failure, without a reason.
  func answer(to message: [UInt8]) async -> AgentReply {
    let request: AgentRequest
    do { request = try AgentRequest(parsing: message) } catch {
      agent.questions.log.refuse(caller, "message", "\(error)")
      return .failure
    }
    switch request {
    case .identities:
      // A host to which the agent was forwarded does not learn the keys, either.
      guard !isSpoiled, !isForwarded || agent.allowsForwarding else { return .identities([]) }
      return .identities(await agent.identities())
    case .sign(let key, let data, let flags):
      return await signature(by: key, of: data, flags: flags).map { .signature($0) } ?? .failure
    case .lock where isForwarded || isSpoiled, .unlock where isForwarded || isSpoiled:
      // On a forwarded connection, somebody else may be asking.
      agent.questions.log.refuse(caller, "locking or unlocking", "The agent was forwarded.")
      return .failure
    case .lock(let passphrase): return await agent.questions.lock(with: passphrase) ? .success : .failure
    case .unlock(let passphrase):
      guard await agent.questions.unlock(with: passphrase) else {
        agent.questions.log.refuse(
          caller, "unlocking", "The passphrase is wrong, or came too soon after wrong ones.")
        return .failure
      }
      return .success
    case .extension("query", _): return .extensions(["query", SessionBinding.name])
    case .extension(SessionBinding.name, let contents): return bind(contents) ? .success : .failure
    case .extension, .other: return .failure
    }
  }

  private var isForwarded: Bool { bindings.contains(where: \.isForwarding) }

  private func bind(_ contents: [UInt8]) -> Bool {
    do {
      let binding = try SessionBinding(verifying: contents)
      if bindings.contains(binding) { return true }
      guard
        !bindings.contains(where: { !$0.isForwarding || $0.sessionIdentifier == binding.sessionIdentifier })
      else { throw SSHFormatError("The connection is bound to another session already.") }
      guard bindings.count < Self.maximumBindings else {
        throw SSHFormatError("The connection passes through more than \(Self.maximumBindings) hosts.")
      }
      bindings.append(binding)
      return true
    } catch {
      isSpoiled = true
      agent.questions.log.refuse(caller, "binding to a host", "\(error)")
      return false
    }
  }

  private func signature(by blob: [UInt8], of data: [UInt8], flags: UInt32) async -> [UInt8]? {
    guard !isRefused else { return nil }
    do {
      let signature = await agent.signature(for: try await signIn(by: blob, of: data, flags: flags))
      if signature == nil { isRefused = true }
      return signature
    } catch {
      agent.questions.log.refuse(caller, SSHAgent.purpose, "\(error)")
      return nil
    }
  }

  private func signIn(
    by blob: [UInt8], of data: [UInt8], flags: UInt32
  ) async throws -> SSHAgent.SignIn {
    guard flags == 0 else { throw SSHFormatError("Flags are only for RSA keys.") }
    let request = try UserAuthenticationRequest(parsing: data)
    guard blob == request.key.blob || blob == request.certificate?.blob else {
      throw SSHFormatError("The sign-in is for another key.")
    }
    guard let key = await agent.offered().first(where: { $0.publicKey == request.key }) else {
      throw SSHFormatError("There is no such key here, or the agent is locked.")
    }
    guard !isSpoiled, let binding = bindings.last, !binding.isForwarding else {
      throw SSHFormatError("The connection does not say which host it is for (OpenSSH 8.9 and later do).")
    }
    guard request.sessionIdentifier == binding.sessionIdentifier else {
      throw SSHFormatError("The sign-in is for another session than the connection.")
    }
    // Without the host's key in it, the signature would be valid at the host of this session, whichever host signed the binding.
    guard request.hostKey != nil || (agent.allowsOldForm && !isForwarded) else {
      throw SSHFormatError(
        "The sign-in does not name the host's key (with OpenSSH 8.9 and later at both ends it does; for others there is --allow-old-servers)."
      )
    }
    guard request.hostKey.map({ binding.isFor(host: $0) }) ?? true else {
      throw SSHFormatError("The sign-in is for another host than the connection.")
    }
    guard !isForwarded || agent.allowsForwarding else {
      throw SSHFormatError("The agent was forwarded, and --allow-forwarding was not given.")
    }
    return SSHAgent.SignIn(
      key: key, request: request, data: data, caller: caller, host: binding,
      hops: bindings.filter(\.isForwarding))
  }
}
