#if os(Linux)
  internal import BindingFormats
  internal import Bytes
  internal import Foundation
  internal import FoundationNetworking
  internal import JOSE
  internal import PingJourney
  internal import PingJourneyPlugin
  internal import PingLogger
  internal import PingNetwork
  internal import PingOrchestrate
  internal import PingStorage
  internal import SigningTransactions
  internal import StrictJSON
  internal import TerminalText

  /// Has the server recognise a person for one challenge, by a journey or by a transaction that their device signs.
  struct ServerVerification: Sendable, Redacted {
    /// The largest number of steps of a journey, including those that wait.
    private static let mostSteps = 400
    /// How long to wait for the signature of a transaction, in seconds.
    private static let transactionTime: Int64 = 160

    let settings: PAMServerSettings
    let request: PAMRequest
    /// The person's account at the server, which root has named.
    let account: String
    let channel: PAMChannel
    /// Waits before the server is asked again.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The text to approve, as devices show it.
    ///
    /// - Throws: ``PAMRefusal`` for a text that devices do not show in full.
    static func statement(_ request: PAMRequest) throws(PAMRefusal) -> String {
      let text =
        "\(request.service) on \(request.host) for \(request.user)"
        + (request.escapedCommand.isEmpty ? "" : ": \(request.command)")
      guard request.leftOut == 0, (try? Transaction(json: ["text": .string(text)])) != nil else {
        throw PAMRefusal("the command is longer than a device shows, or its host has no plain name")
      }
      return text
    }

    private func show(_ text: String) { channel.send("show \(Self.visible(text))") }

    /// Shows `text` unless it was shown already.
    private func say(_ text: String, _ said: inout Set<String>) {
      if said.insert(text).inserted { show(text) }
    }

    /// The text as visible ASCII on one line.
    static func visible(_ text: String) -> String {
      String(
        TerminalText.line(text).unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" }
          .prefix(400))
    }

    // MARK: A journey

    /// Plays the journey; returns when the person is recognised.
    func playJourney() async throws {
      guard let name = settings.journey else {
        throw PAMRefusal("the settings name no journey", "unavailable")
      }
      let (url, realm) = (settings.url, settings.realm)
      try await CertificateAuthorities.$ofTask.withValue(settings.authorities) {
        let journey = Journey.createJourney { config in
          config.logger = LogManager.none
          config.serverUrl = url
          config.realm = realm
          config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
        }
        try await play(journey, from: await journey.start(name) { $0.forceAuth = true })
      }
    }

    private func play(_ journey: Journey, from first: any Node) async throws {
      var (node, said) = (first, Set<String>())
      for _ in 0..<Self.mostSteps {
        try Task.checkCancellation()
        switch node {
        case let step as ContinueNode:
          try await answer(step, &said)
          node = await step.next()
        case let success as SuccessNode:
          let name: Result<String?, any Error>
          do { name = .success(try await owner(of: success.session.value)) } catch { name = .failure(error) }
          // Signs off in any case, also when the module has gone meanwhile.
          await Task { _ = await journey.signOff() }.value
          // The server's yes has to be for this account.
          guard try name.get() == account else {
            throw PAMRefusal("the server recognised another account")
          }
          return
        case let error as ErrorNode where error.status == 401:
          throw PAMRefusal("the server did not recognise the person")
        case let error as ErrorNode: throw PAMRefusal("the server answered \(error.status ?? 400)")
        case let failure as FailureNode: throw PAMRefusal(because: failure.cause)
        default: throw PAMRefusal("the server's answer is not understood")
        }
      }
      throw PAMRefusal("the journey has no end")
    }

    private func answer(_ step: ContinueNode, _ said: inout Set<String>) async throws {
      let waits = step.callbacks.contains { $0 is PollingWaitCallback }
      for callback in step.callbacks {
        switch callback {
        case let callback as NameCallback: callback.name = account
        case let callback as PasswordCallback:
          guard let password = await channel.secret(asking: passwordQuestion, within: 100) else {
            throw PAMRefusal("no password was entered")
          }
          callback.password = String(decoding: password, as: UTF8.self)
        case let callback as TextInputCallback: callback.text = try Self.statement(request)
        case let callback as HiddenValueCallback where callback.valueId == "pushChallengeNumber":
          say("Choose or enter \(callback.value) in the app on your device.", &said)
        case let callback as TextOutputCallback: say(callback.message, &said)
        case is HiddenValueCallback, is PollingWaitCallback, is MetadataCallback: break
        // The button beside a waiting callback cancels the wait.
        case is ConfirmationCallback where waits: break
        default:
          throw PAMRefusal("the journey asks for something that PAM cannot ask")
        }
      }
      for case let callback as PollingWaitCallback in step.callbacks {
        let isNumber = step.callbacks.contains {
          ($0 as? HiddenValueCallback)?.valueId == "pushChallengeNumber"
        }
        if !isNumber { say(callback.message, &said) }
        try await pause(.milliseconds(min(max(callback.waitTime, 100), 5000)))
      }
    }

    /// The question for the password. A person on another host does not learn the account and the server.
    private var passwordQuestion: String {
      request.remote.isEmpty
        ? Self.visible("ask Password of \(account) at \(settings.host)") : "ask Password: "
    }

    /// The account of a session, according to the server.
    private func owner(of token: String) async throws -> String? {
      guard !token.isEmpty else { throw PAMRefusal("the journey makes no session") }
      let information = try await send("sessions?_action=getSessionInfo", body: [:]) {
        $0.setHeader(name: JourneyConstants.cookie, value: token)
      }
      return information["username"]?.stringValue
    }

    // MARK: A transaction

    /// Has the person's device sign the command, and returns the name of the signature in the server's ledger.
    func signTransaction() async throws -> String {
      guard let (id, secret) = settings.application else {
        throw PAMRefusal("the settings name no application, which makes transactions", "unavailable")
      }
      let authorization = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
      let prove: @Sendable (any HttpRequest) -> Void = {
        $0.setHeader(name: "Authorization", value: authorization)
      }
      let transaction = try Transaction(json: ["text": .string(Self.statement(request))])
      var body: JSONObject = [
        "fields": .object(transaction.json), "username": .string(account),
        "expiresIn": .integer(Self.transactionTime),
      ]
      body["journey"] = settings.journey.map { .string($0) }
      let made = try await send("transactions?_action=create", body: body, prove)
      guard let number = made["_id"]?.stringValue, Self.isPlainID(number) else {
        throw PAMRefusal("the server made no transaction")
      }
      let who = request.remote.isEmpty ? ", as \(account) at \(settings.host)" : ""
      show("Approve it with your device\(who): sealring sign --transaction \(number)")
      while true {
        try await pause(.seconds(1))
        let verdict = try await send("transactions/\(number)", body: nil, prove)
        switch verdict["state"]?.stringValue {
        case "pending": continue
        case "approved":
          try Self.check(verdict, number, transaction, account)
          return verdict["evidence"]?.integerValue.map { "entry \($0) of the server's ledger" }
            ?? "transaction \(number)"
        case "refused": throw PAMRefusal("the device, or the person, refused")
        case "expired": throw PAMRefusal("nobody approved it in time")
        default: throw PAMRefusal("the server's verdict is not understood")
        }
      }
    }

    /// Whether `id` has only the characters of a server's ids.
    private static func isPlainID(_ id: String) -> Bool {
      !id.isEmpty && id.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
    }

    /// Checks that the verdict is for this transaction and by this account, also in the signed claims.
    static func check(_ verdict: JSONValue, _ id: String, _ transaction: Transaction, _ account: String)
      throws
    {
      guard verdict["_id"]?.stringValue == id, verdict["username"]?.stringValue == account,
        verdict["fields"]?.objectValue == transaction.json,
        let nonce = verdict["nonce"]?.stringValue.flatMap({ Base64URL.decode($0) }),
        let jwt = verdict["jwt"]?.stringValue, let signed = try? UnverifiedJWS(compact: jwt),
        let claims = try? JSONValue(parsing: signed.payload),
        claims[ProofClaim.transaction]?.stringValue == id,
        let challenge = transaction.challenge(nonce: nonce),
        claims[ProofClaim.challenge]?.stringValue == challenge
      else { throw PAMRefusal("the server's approval is of something else") }
    }

    // MARK: Requests

    /// - Parameter body: The body to post; `nil` for a GET request.
    private func send(
      _ path: String, body: JSONObject?, _ build: @escaping @Sendable (any PingNetwork.HttpRequest) -> Void
    ) async throws -> JSONValue {
      let (url, text) = ("\(settings.resources)/\(path)", body.map { JSONValue.object($0).text })
      let answer = await settings.client().request { request in
        request.url = url
        request.setHeader(name: "Accept-API-Version", value: "resource=2.1, protocol=1.0")
        build(request)
        if let text { request.post(contentType: "application/json", body: text) } else { request.get() }
      }
      let response: any PingNetwork.HttpResponse
      do { response = try answer.get() } catch { throw PAMRefusal(because: error) }
      guard response.status.isSuccess(), let body = response.body, let json = try? JSONValue(parsing: body)
      else { throw PAMRefusal("the server answered \(response.status)") }
      return json
    }
  }

  extension PAMRefusal {
    /// The refusal for an unusable answer. Any answer that is not a yes is a no: with `unavailable`, `mode=either` asks the key instead,
    /// and somebody who keeps the server busy must not achieve that.
    fileprivate init(because error: any Error) {
      if case ApiError.error(let status, _, _) = error {
        self.init("the server answered \(status)")
      } else {
        self.init("the server cannot be asked", Self.isUnreached(error) ? "unavailable" : "refused")
      }
    }

    private static func isUnreached(_ error: any Error) -> Bool {
      switch error {
      case NetworkError.timeout, NetworkError.networkUnavailable: return true
      case let error as URLError:
        let codes: [URLError.Code] = [
          .timedOut, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
          .networkConnectionLost, .secureConnectionFailed, .serverCertificateUntrusted,
        ]
        return codes.contains(error.code)
      default: return false
      }
    }
  }
#endif
