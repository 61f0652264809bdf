import ArgumentParser
import PingPush

extension PushCommand {
  struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Approve a request, with the number or the code that the sign-in page shows where it asks for one.",
      discussion:
        "A request that asks you to prove who you are is approved only after your fingerprint, or your password on this machine, "
        + "has been checked."
    )

    @Argument(help: "The request's id, as `sealring push list` shows it.")
    var request: String

    @Option(help: "The number that the sign-in page shows.")
    var number: Int?

    @Option(help: "The code that the sign-in page shows.")
    var code: String?

    @OptionGroup var options: PushOptions
    @OptionGroup var output: ResultOptions

    func validate() throws {
      if number != nil, code != nil { throw ValidationError("Give either --number or --code.") }
      if let number, !(0...99).contains(number) {
        throw ValidationError("--number must be one of the two-digit numbers offered.")
      }
      if let code, !(4...10).contains(code.count) || !code.allSatisfy({ $0.isASCII && $0.isNumber }) {
        throw ValidationError("--code is what the sign-in page shows: digits only.")
      }
    }

    func run() async throws {
      try await options.withClient { client in
        let found = try await PushRequest.named(request, of: client)
        let answer = try answer(to: found)
        try await found.give(answer, through: client)
        try await found.report(answer, through: client, json: output.json)
      }
    }

    private func answer(to request: PushRequest) throws -> PushDecision {
      switch request.question {
      case .tap, .person:
        guard number == nil, code == nil else {
          throw CommandFailure("This request asks for no number or code: approve it without.")
        }
        return .approve(nil)
      case .number(let offered):
        guard let number, offered.contains(number) else {
          throw CommandFailure.usage(
            "This request asks for one of the numbers \(offered.map(String.init).joined(separator: ", ")): pass the one that the "
              + "sign-in page shows with --number."
          )
        }
        return .approve(String(number))
      case .code(let length):
        guard let code, code.count == length else {
          throw CommandFailure.usage(
            "This request asks for a code of \(length) digits: pass the one that the sign-in page shows with --code."
          )
        }
        return .approve(code)
      }
    }
  }

  struct Deny: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deny a request: the sign-in is refused at once.")

    @Argument(help: "The request's id, as `sealring push list` shows it.")
    var request: String

    @Option(help: "The reason, in a few words, for the server's audit log.")
    var reason: String?

    @OptionGroup var options: PushOptions
    @OptionGroup var output: ResultOptions

    func run() async throws {
      try await options.withClient { client in
        let found = try await PushRequest.named(request, of: client)
        try await found.give(.deny(reason: reason), through: client)
        try await found.report(.deny(reason: reason), through: client, json: output.json)
      }
    }
  }
}
