#if os(Linux)
  internal import Agent
  internal import Bytes
  internal import Concurrency
  package import Foundation

  /// Root's side of the PAM module: what needs the network, or a file of root's that changes. The module believes it, because root listens.
  ///
  /// A journey of the server, a transaction, a recovery code, or the record of a signed challenge; each for one challenge, whose nonce is in
  /// the answer.
  package struct PAMCheck: Sendable {
    /// How many recovery codes are asked for. They have 100 random bits: nobody is kept out because others have tried.
    static let tries = 3
    /// How long all of it may take, in seconds: less than the module waits for a line.
    static let time: TimeInterval = 170

    private let folder: String
    private let settings: URL
    private let log: PAMLog
    private let places: PAMPlaces
    private let clock: @Sendable () -> Date
    private let root: UInt32
    private let firstPortOfAll: UInt16?

    /// - Parameters:
    ///   - folder: Root's files about users.
    ///   - settings: The server's.
    ///   - places: Those of the people who are asked.
    ///   - root: Whose programs are answered; another number only in tests.
    ///   - firstPortOfAll: What `PAMServerSettings` takes; a number only in tests.
    package init(
      folder: String, settings: URL, log: PAMLog, places: PAMPlaces, root: UInt32 = 0,
      firstPortOfAll: UInt16? = nil,
      clock: @escaping @Sendable () -> Date = { Date() }
    ) {
      (self.folder, self.settings, self.log, self.places) = (folder, settings, log, places)
      (self.clock, self.root, self.firstPortOfAll) = (clock, root, firstPortOfAll)
    }

    /// Answers one challenge; returns what is to be noted.
    package func answer(_ channel: PAMChannel) async -> String {
      guard channel.caller.user == root else {
        return "Refused a connection of another user (\(channel.caller.user))."
      }
      guard let bytes = await channel.challenge(), let request = try? PAMRequest(parsing: bytes) else {
        channel.send("refused")
        return "Refused: what was sent is not a challenge."
      }
      return await channel.answer(request, from: request.program) {
        let how = try await firstOf(
          { try await channel.whileOpen { try await approve(request, channel) } },
          orAfter: .seconds(Self.time))
        return ("approved \(request.nonce)", "Approved, \(how).")
      }
    }

    /// Returns how it was approved.
    private func approve(_ request: PAMRequest, _ channel: PAMChannel) async throws -> String {
      let file = try PAMUserFile(user: request.user, folder: folder)
      // It is older than its signature by the time that the person took. Nobody waits for this, so it takes no place.
      if request.wanted.isLocal { return try await record(request, file, channel) }
      guard request.isFresh(at: clock()) else { throw PAMRefusal("the challenge is old") }
      let how = try await places.withPlace(for: request) {
        if request.wanted == .recovery { return try await recover(request, RecoveryCodes(file), channel) }
        return try await askServer(request, file, channel)
      }
      guard let how else { throw PAMRefusal("\(PAMPlaces.count) others of theirs wait already") }
      return how
    }

    private func askServer(_ request: PAMRequest, _ file: PAMUserFile, _ channel: PAMChannel) async throws
      -> String
    {
      guard let account = try file.account() else {
        throw PAMRefusal("root has named no account at the server", "unavailable")
      }
      let settings = try PAMServerSettings(
        of: settings, service: request.service, firstPortOfAll: firstPortOfAll)
      let server = ServerVerification(
        settings: settings, request: request, account: account, channel: channel)
      if request.wanted == .transaction { return try await server.signTransaction() }
      try await server.playJourney()
      return "by the server's journey"
    }

    /// Puts on record what a key of this device has signed.
    private func record(_ request: PAMRequest, _ file: PAMUserFile, _ channel: PAMChannel) async throws
      -> String
    {
      guard let line = await channel.line(within: 10), line.starts(with: Array("signature ".utf8)),
        let signature = Hexadecimal.decode(
          String(decoding: line.dropFirst("signature ".utf8.count), as: UTF8.self)),
        let key = request.keys.first(where: { ECDSASignature.isValid(signature, of: request.bytes, by: $0) }),
        try file.hasKey(key)
      else { throw PAMRefusal("it is not signed by an enrolled key") }
      try await log.append(signed: request, signature: signature, by: key)
      return "signed and on record"
    }

    private func recover(_ request: PAMRequest, _ codes: RecoveryCodes, _ channel: PAMChannel) async throws
      -> String
    {
      guard try codes.left() > 0 else { throw PAMRefusal("there is no recovery code", "unavailable") }
      var question = "ask Sealring: recovery code (Return for none)"
      for _ in 0..<Self.tries {
        guard let typed = await channel.secret(asking: question, within: 100) else {
          throw PAMRefusal("no recovery code was entered")
        }
        if let left = try await codes.use(String(decoding: typed, as: UTF8.self)) {
          try await log.append(recovered: request)
          channel.send("show Sealring: recovery codes that are left: \(left)")
          return "by a recovery code, \(left) are left"
        }
        question = "ask The code is wrong. Recovery code"
      }
      throw PAMRefusal("the recovery code was wrong \(Self.tries) times")
    }
  }
#endif
