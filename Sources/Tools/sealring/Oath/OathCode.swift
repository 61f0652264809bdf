import ArgumentParser
import Foundation
import PingOath
import StrictJSON

extension OathCommand {
  struct Code: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a one-time code.",
      discussion: """
        In a terminal the current code is shown with the time that it has left, then the next one in its place, until \
        Ctrl-C. Elsewhere, with --once, and for counter-based codes, one code is printed. Each counter-based code advances the counter.
        """)

    @Argument(help: "The credential's id, account or issuer; not needed when there is only one.")
    var credential: String?

    @Flag(help: "Print one code, even in a terminal.")
    var once = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      try await OathClients.with { client in
        let credential = try await client.named(credential)
        if output.json {
          Output.json(try await client.generateCodeWithValidity(credential.id).record(of: credential))
        } else if credential.oathType == .totp, !once, Output.canRewriteLine {
          try await countDown(credential, client)
        } else {
          Output.line(try await client.generateCode(credential.id))
        }
      }
    }

    /// Shows the current code until the program ends. The credential is read every second, because policies may lock it.
    private func countDown(_ credential: OathCredential, _ client: OathClient) async throws {
      Output.line(TerminalText.line(credential.displayName, columns: TerminalText.columns))
      while true {
        Output.replaceLine(CodeDisplay.line(try await client.generateCodeWithValidity(credential.id)))
        // The display changes at each full second.
        let fraction = Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 1)
        try await Task.sleep(for: .milliseconds(Int((1 - fraction) * 1000) + 5))
      }
    }
  }
}

/// One line with a code and its remaining time.
enum CodeDisplay {
  private static let width = 20

  static func line(_ info: OathCodeInfo) -> String {
    let half = (info.code.count + 1) / 2
    let left = Int((Double(width) * (1 - info.progress)).rounded())
    let bar = String(repeating: "#", count: left) + String(repeating: "-", count: width - left)
    return "\(info.code.prefix(half)) \(info.code.dropFirst(half))  [\(bar)]  \(info.timeRemaining) s left"
  }
}

extension OathCodeInfo {
  /// The code as JSON, for programs.
  func record(of credential: OathCredential) -> JSONValue {
    [
      "credentialId": .string(credential.id), "issuer": .string(credential.displayIssuer),
      "accountName": .string(credential.displayAccountName), "code": .string(code),
      "timeRemaining": .integer(Int64(timeRemaining)), "totalPeriod": .integer(Int64(totalPeriod)),
      // The counter that the code was made with.
      "progress": .number(progress), "counter": .integer(Int64(counter < 0 ? counter : counter - 1)),
    ]
  }
}
