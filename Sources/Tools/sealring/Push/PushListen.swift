import ArgumentParser
import PingPush

extension PushCommand {
  struct Listen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Wait for requests, show each with where it comes from, and ask for the answer.",
      discussion: """
        Ends with Ctrl-C. For scripts: --approve or --deny answer without asking, and --json alone prints each request on a \
        line of its own and leaves the answer to `sealring push approve` and `sealring push deny`.
        """)

    @Flag(
      help:
        "Approve every request that needs no number and no code. For tests: anyone with the password gets in."
    )
    var approve = false

    @Flag(help: "Deny every request.")
    var deny = false

    @Flag(help: "End after the first request.")
    var once = false

    @OptionGroup var options: PushOptions

    @Flag(help: "Print each request as JSON, on a line of its own.")
    var json = false

    func validate() throws {
      if approve, deny { throw ValidationError("Give either --approve or --deny.") }
    }

    func run() async throws {
      try await options.withClient { client in
        let credentials = try await client.getCredentials()
        guard !credentials.isEmpty else {
          throw CommandFailure.notFound(
            "This device is not enrolled anywhere yet. Enrol it with `sealring push enroll`.")
        }
        for credential in credentials {
          Output.raw(
            "Listening for \(TerminalText.line(credential.displayName, columns: 60))\n" + credential.rows())
        }
        Output.remark("Ctrl-C ends.")
        for await notification in client.notifications() {
          let request = PushRequest(
            notification: notification,
            credential: credentials.first { $0.id == notification.credentialId })
          let isAnswered = try await handle(request, through: client)
          guard once else { continue }
          guard isAnswered else { throw ExitCode.failure }
          return
        }
      }
    }

    /// Shows the request and answers it. Returns `false` after a failure, which it reports.
    private func handle(_ request: PushRequest, through client: PushClient) async throws -> Bool {
      if json, !approve, !deny {
        Output.json(request.record)
        return true
      }
      do {
        guard let decision = try await answer(request, through: client) else { return false }
        try await request.report(decision, through: client, json: json)
        return true
      } catch let error as CancellationError {
        throw error
      } catch {
        // The next request may succeed.
        CommandFailure.of(error).report(json: json)
        return false
      }
    }

    /// Asks until the server accepts an answer: after a wrong number or code the request stays open once.
    private func answer(_ request: PushRequest, through client: PushClient) async throws -> PushDecision? {
      var isRepeated = false
      while true {
        guard let decision = try await decide(request, isRepeated: isRepeated) else { return nil }
        do {
          try await request.give(decision, through: client)
          return decision
        } catch let error as PushError where error.isWrongNumber && !isRepeated && !approve {
          let failure = CommandFailure.of(error)
          if json { failure.report(json: true) } else { Output.remark(failure.description) }
          isRepeated = true
        }
      }
    }

    private func decide(_ request: PushRequest, isRepeated: Bool) async throws -> PushDecision? {
      if deny { return .deny(reason: nil) }
      guard approve else { return try await request.ask(isRepeated: isRepeated) }
      switch request.question {
      case .tap, .person: return .approve(nil)
      case .number, .code:
        CommandFailure.unsupported(
          "Request \(request.id) asks for a \(request.task), which --approve cannot know. `sealring push approve` takes it."
        ).report(json: json)
        return nil
      }
    }
  }
}
