import ArgumentParser
import PingPush
import StrictJSON

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Approve sign-ins that happen on another device.",
    discussion: """
      `sealring push qr` shows a code on one device, and `sealring push enroll` takes it on another. From then on `sealring push listen` \
      shows each request, and asks for your answer.
      """,
    subcommands: [
      Enroll.self, Listen.self, List.self, Approve.self, Deny.self, Credentials.self, QR.self,
    ], defaultSubcommand: List.self)
}

extension PushCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ask the servers, and list the requests that are waiting for an answer.")

    @Flag(help: "List answered and expired requests too.")
    var all = false

    @Flag(help: "Do not ask the servers; list what this device has.")
    var offline = false

    @OptionGroup var options: PushOptions
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let (requests, isCurrent) = try await options.withClient { client in
        let isCurrent = offline ? true : try await options.fetch(with: client, json: output.json)
        return (try await PushRequest.all(of: client, onlyPending: !all), isCurrent)
      }
      if output.json || !requests.isEmpty || isCurrent {
        output.list(
          requests, PushRequest.columns,
          none: all ? "There are no requests." : "No request is waiting for an answer.")
      }
      // `fetch` has already reported the failure.
      if !isCurrent { throw ExitCode.failure }
    }
  }
}
