import ArgumentParser
import Foundation
import PingPush
import StrictJSON

extension PushCommand {
  /// `sealring push list`: what waits for an answer.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ask the servers, and list the requests that wait for an answer.")

    @Flag(help: "List answered and expired requests too.")
    var all = false

    @Flag(help: "Do not ask the servers; list what this device has.")
    var offline = false

    @OptionGroup var options: PushOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
      let (requests, isCurrent) = try await options.withClient { client in
        let isCurrent = offline ? true : try await options.fetch(with: client, json: json)
        return (try await PushRequest.all(of: client, onlyPending: !all), isCurrent)
      }
      if json {
        Output.json(.array(requests.map(\.record)))
      } else if requests.isEmpty {
        if isCurrent { Output.remark(all ? "There are no requests." : "Nothing waits for an answer.") }
      } else {
        Output.table(
          head: ["REQUEST", "ACCOUNT", "ASKS FOR", "TEXT", "STATE"],
          rows: requests.map {
            [$0.id, printable($0.account), $0.task, printable($0.text), $0.state]
          })
      }
      // Said above, with the list of what is there.
      if !isCurrent { throw ExitCode.failure }
    }
  }
}
