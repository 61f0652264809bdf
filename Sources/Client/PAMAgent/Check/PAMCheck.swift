#if os(Linux)
  internal import Agent
  internal import Bytes
  internal import Concurrency
  package import Foundation

  /// Root's side of the PAM module, for everything that needs the network or changes a file of root's. The module trusts it, because root
  /// listens.
  ///
  /// It runs a journey of the server, a transaction or a recovery code, or records a signed challenge. Each is for one challenge, whose
  /// nonce is in the answer.
  package struct PAMCheck: Sendable {
    /// How many times a recovery code is asked for. Codes have 100 random bits, so nobody is locked out because others have tried.
    static let tries = 3
    /// How long a check may take, in seconds: less than the module waits for a line.
    static let time: TimeInterval = 170

    private let folder: String
    private let settings: URL
    private let log: PAMLog
    private let places: PAMPlaces
    private let clock: @Sendable () -> Date
    private let root: UInt32
    private let firstPortOfAll: UInt16?

    /// - Parameters:
    ///   - folder: The folder of root's files about users.
    ///   - settings: The file of the server's settings.
    ///   - places: The places of the people who are asked.
    ///   - root: The user whose programs are answered; another number only in tests.
    ///   - firstPortOfAll: As in `PAMServerSettings`; a number only in tests.
    package init(
      folder: String, settings: URL, log: PAMLog, places: PAMPlaces, root: UInt32 = 0,
      firstPortOfAll: UInt16? = nil,
      clock: @escaping @Sendable () -> Date = { Date() }
    ) {
      (self.folder, self.settings, self.log, self.places) = (folder, settings, log, places)
      (self.clock, self.root, self.firstPortOfAll) = (clock, root, firstPortOfAll)
    }

    /// Answers one challenge, and returns the text for the log.
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

    /// Returns how the request was approved.
    private func approve(_ request: PAMRequest, _ channel: PAMChannel) async throws -> String {
      let file = try PAMUserFile(user: request.user, folder: folder)
      // The challenge is older than its signature, by the time that the person took. Recording waits for nobody, so it takes no place.
      if request.wanted.isLocal { return try await record(request, file, channel) }
      guard request.isFresh(at: clock()) else { throw PAMRefusal("the challenge is old") }
      let how = try await places.withPlace(for: request) {
        if request.wanted == .recovery { return try await recover(request, RecoveryCodes(file), channel) }
        return try await askServer(request, file, channel)
      }
      guard let how else { throw PAMRefusal("\(PAMPlaces.count) other requests of this person wait already") }
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

    /// Records a challenge that a key of this device has signed.
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
