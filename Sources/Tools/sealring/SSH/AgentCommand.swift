import Agent
import ArgumentParser
import Concurrency
import Foundation
import PrivateFiles
import TerminalPrompts
import TerminalText

struct AgentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Offer this device's SSH keys to ssh, and ask you before each sign-in.",
    discussion: """
      Runs in the foreground until Ctrl-C, and prints the line that a shell needs: SSH_AUTH_SOCK. It asks on its own terminal; without one, \
      as a service, by pinentry. Without anybody to ask it refuses. Make a key with `sealring ssh key add`.
      """)

  @Option(
    help: "The socket. Default: what systemd passes, else $XDG_RUNTIME_DIR/sealring/ssh-agent.socket.",
    completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "Do not ask again for the same program, account and host for so many minutes (0 to 480).",
      valueName: "minutes"))
  var remember = 0

  @Flag(help: "Also answer hosts that the agent was forwarded to (ssh -A).")
  var allowForwarding = false

  @Option(
    help: "Ask by this program that speaks pinentry's protocol, even when there is a terminal.",
    completion: .file())
  var pinentry: String?

  @OptionGroup var chip: ChipOptions

  func validate() throws {
    guard (0...480).contains(remember) else {
      throw ValidationError("--remember needs 0 to 480 minutes, not \(remember).")
    }
  }

  func run() async throws {
    #if os(Linux)
      try await serve()
    #else
      throw CommandFailure.unsupported(
        "The agent needs sockets and facts about processes as Linux has them. Run it there.")
    #endif
  }
}

#if os(Linux)
  extension AgentCommand {
    private func serve() async throws {
      let environment = Environment.variables
      let socket = try listening(environment)
      // A pinentry that ends while it is spoken to is an answer.
      signal(SIGPIPE, SIG_IGN)
      // It reads its terminal again and again, and returns to no shell meanwhile.
      Terminal.controlling.keepsEchoOff = false
      let file = URL(filePath: ClientHome.userFolder(environment)).appending(path: ".ssh/known_hosts")
      let agent = SSHAgent(
        keys: SSHKeys(store: try chip.sshKeyStore()),
        prompt: AgentPrompts.chosen(pinentry: pinentry, environment),
        policy: AgentPolicy(remembersFor: TimeInterval(remember * 60), allowsForwarding: allowForwarding),
        knownHosts: {
          let bytes = try? ProtectedFiles.read(file, limit: 4 << 20)
          return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
        },
        log: { Output.remark("\(TerminalText.Times.text(Date()))  \(TerminalText.line($0, columns: 400))") })
      let listener = AgentListener(socket, agent: agent)
      listener.start()
      if let path = socket.path { Output.line("SSH_AUTH_SOCK=\(path); export SSH_AUTH_SOCK") }
      // Until a signal ends the program: the system closes its connections, and takes its lock.
      while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    private func listening(_ environment: [String: String]) throws -> AgentSocket {
      do {
        if let socket { return try AgentSocket.listen(at: URL(filePath: socket)) }
        if let passed = try AgentSocket.passed(environment) { return passed }
        guard let path = AgentSocket.standardPath(environment) else {
          throw CommandFailure.unsupported(
            "XDG_RUNTIME_DIR is not set, so there is no folder for the socket. Name one with --socket.")
        }
        return try AgentSocket.listen(at: path)
      } catch let error as AgentError {
        throw CommandFailure.failed(error)
      }
    }
  }

  extension CommandFailure {
    fileprivate static func failed(_ error: AgentError) -> CommandFailure {
      CommandFailure(error.localizedDescription)
    }
  }
#endif
