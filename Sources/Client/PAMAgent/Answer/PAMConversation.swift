#if os(Linux)
  package import Agent
  internal import Bytes
  internal import DeviceKeys
  package import Foundation
  internal import JOSE
  internal import PersonPrompts

  /// Answers the PAM module: asks the person and signs the module's challenge.
  ///
  /// A PIN is asked for where the person signs in, and the module passes it on. A yes is never accepted from there, because a program that
  /// runs `sudo` can say yes; it is one of the agent's ``AgentQuestions``.
  package struct PAMConversation: Sendable {
    /// How many times a PIN is asked for.
    static let tries = 3
    /// How long to wait for a PIN, in seconds: longer than the module waits.
    private static let pinTime: TimeInterval = 100

    private let keys: PAMKeys
    private let user: String
    private let uid: UInt32
    private let questions: AgentQuestions
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - user: The account that the keys belong to.
    ///   - uid: The account's number: its own programs and root's are answered.
    ///   - questions: Asks the person for a yes.
    package init(
      keys: PAMKeys, user: String, uid: UInt32, questions: AgentQuestions,
      clock: @escaping @Sendable () -> Date = { Date() }
    ) {
      (self.keys, self.user, self.uid) = (keys, user, uid)
      (self.questions, self.clock) = (questions, clock)
    }

    /// Answers one challenge, and returns the text for the log.
    package func answer(_ channel: PAMChannel) async -> String {
      guard [0, uid].contains(channel.caller.user) else {
        return "Refused a connection of another user (\(channel.caller.user))."
      }
      guard let bytes = await channel.challenge() else { return "\(channel.caller.text) sent no challenge." }
      let request: PAMRequest
      do { request = try PAMRequest(parsing: bytes) } catch {
        channel.send("refused")
        return "Refused \(channel.caller.text): \(error.localizedDescription)"
      }
      return await channel.answer(request, from: Self.program(channel.caller, asking: request).text) {
        let signature = try await signature(for: request, channel)
        return ("signature \(try ECDSASignature.der(of: signature).hexadecimal)", "Signed.")
      }
    }

    private func signature(for request: PAMRequest, _ channel: PAMChannel) async throws -> [UInt8] {
      guard request.isFresh(at: clock()) else { throw PAMRefusal("the challenge is old") }
      guard request.wanted.isLocal else { throw PAMRefusal("it is not for a key of this device") }
      guard request.user == user else { throw PAMRefusal("it is for another account") }
      let (readable, faults) = try await keys.readable()
      let fitting = readable.filter { request.keys.contains($0.point) && ($0.hasPIN || !request.needsPIN) }
      // Prefers a key without a PIN, where that is enough.
      guard let key = fitting.first(where: { !$0.hasPIN }) ?? fitting.first else {
        // The enrolled key may be the damaged one.
        if let fault = faults.first { throw fault }
        throw PAMRefusal("no enrolled key is on this device", "unavailable")
      }
      guard key.hasPIN else { return try await consented(key, request, channel) }
      return try await unlock(key, channel).signature(for: request.bytes)
    }

    private func unlock(_ key: PAMKey, _ channel: PAMChannel) async throws -> any DeviceKey {
      let tag = key.stored.tag
      for attempt in 1...Self.tries {
        let tries = try await keys.store.pinTries(tag: tag)
        // A PIN entered now would be ignored.
        if let tries, tries.wait > 0 || tries.left == 0 {
          throw DeviceKeyError.lockedOut(tag: tag, retryAfter: tries.wait)
        }
        let question = attempt == 1 ? "pin" : "wrong" + (tries.map { " \($0.left)" } ?? "")
        guard let bytes = await channel.secret(asking: question, within: Self.pinTime) else {
          throw PAMRefusal("no PIN was entered")
        }
        let pin = PIN(String(decoding: bytes, as: UTF8.self))
        do { return try await keys.store.openKey(tag: tag, unlock: .pin(pin)) } catch DeviceKeyError.wrongPIN
        {}
      }
      throw PAMRefusal("the PIN was wrong \(Self.tries) times")
    }

    /// The program that asks. The kernel hides the files of root's programs, so the module in the program names its file. Any other program
    /// that cannot be seen has hidden itself, and could claim any name.
    static func program(_ caller: Caller, asking request: PAMRequest) -> Caller {
      caller.user == 0 && caller.executable == nil ? caller.running(request.program) : caller
    }

    /// The facts that a question for a yes shows.
    ///
    /// - Throws: ``PAMRefusal`` for a command whose end is not known.
    static func facts(_ request: PAMRequest) throws(PAMRefusal) -> [PersonQuestion.Fact] {
      guard request.leftOut == 0 else { throw PAMRefusal("the command is too long to be shown whole") }
      let facts = [
        ("Service", request.service), ("Account", request.user), ("Asked by", request.caller),
        ("From", request.remote), ("Terminal", request.terminal), ("Command", request.command),
      ]
      return facts.filter { !$0.1.isEmpty }.map { PersonQuestion.Fact($0.0, $0.1) }
    }

    /// Asks a question that ends when the asking program ends, and signs after a yes.
    private func consented(_ key: PAMKey, _ request: PAMRequest, _ channel: PAMChannel) async throws
      -> [UInt8]
    {
      let facts = try Self.facts(request)
      channel.send("asking")
      let use = KeyUse(
        purpose: "PAM", title: "A program wants to know that it is you.",
        action: "Is it you, and do you want this?",
        caller: Self.program(channel.caller, asking: request), key: key.stored, store: keys.store,
        keyName: key.name, facts: facts, sameness: nil)
      let signature = try await channel.whileOpen {
        await questions.perform(use) { try await $0.signature(for: request.bytes) }
      }
      guard let signature else { throw PAMRefusal("nobody agreed") }
      return signature
    }
  }
#endif
