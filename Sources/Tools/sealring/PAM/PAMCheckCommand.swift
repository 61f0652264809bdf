import Agent
import ArgumentParser
import Foundation
import PAMAgent
import TerminalText

struct PAMCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "As root, answer the PAM module where it needs the server, a recovery code or the log.",
    discussion: """
      Standard input is a connection of the module: systemd runs this for each. Without systemd, --socket listens. The server, its \
      authorities and the journey are root's choice in /etc/sealring/pam-server.conf (docs/linux.md); variables of the environment are not \
      read for that.
      """)

  @Option(help: "Listen at this socket.", completion: .file())
  var socket: String?

  @Option(help: "Root's files about users, if not in /etc/sealring/pam.", completion: .directory)
  var folder = PAMFiles.users

  @Option(help: "Which server is asked.", completion: .file())
  var settings = PAMFiles.server

  @Option(help: "Where signed commands and used recovery codes are kept.", completion: .file())
  var log = PAMFiles.log

  /// The limit of sealring-pam-check.socket.
  private static let mostConnections = 64

  func run() async throws {
    #if os(Linux)
      // A module that closes the connection during a dialog must not kill this process.
      signal(SIGPIPE, SIG_IGN)
      let check = PAMCheck(
        folder: folder, settings: URL(filePath: settings), log: PAMLog(URL(filePath: log)),
        places: PAMCommand.places("check"))
      if let socket {
        return try await AgentSocket.announced(at: socket).serve(most: Self.mostConnections) {
          Output.event(await check.answer($0))
        }
      }
      guard let channel = PAMChannel(STDIN_FILENO) else { throw PAMCommand.noConnection }
      Output.event(await check.answer(channel))
    #else
      throw PAMCommand.needsLinux
    #endif
  }
}
