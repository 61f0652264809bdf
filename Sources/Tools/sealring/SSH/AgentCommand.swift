import Agent
import ArgumentParser
import Foundation
import PrivateFiles
import TerminalPrompts
import TerminalText

struct AgentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent", abstract: "Offer this device's SSH keys to ssh, and ask you before each sign-in.",
    subcommands: [Run.self, AgentStatus.self, AgentLock.self, AgentLogCommand.self],
    defaultSubcommand: Run.self)

  /// The socket that the agent listens on.
  struct SocketOptions: ParsableArguments {
    @Option(
      help:
        "The socket for ssh. Default: what systemd passes, else $XDG_RUNTIME_DIR/sealring/ssh-agent.socket.",
      completion: .file())
    var socket: String?

    func file() throws -> URL {
      if let socket { return URL(filePath: socket) }
      #if os(Linux)
        guard let file = AgentSocket.standardFile(Environment.variables) else {
          throw CommandFailure.unsupported(
            "XDG_RUNTIME_DIR is not set, so there is no folder for the socket. Name one with --socket.")
        }
        return file
      #else
        throw AgentCommand.needsLinux
      #endif
    }
  }

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run the agent.",
      discussion: """
        Runs in the foreground until Ctrl-C, and prints the line that a shell needs: SSH_AUTH_SOCK. It asks on its own terminal; \
        without one, as a service, by a notification of the desktop or, for a PIN, by pinentry. Without anybody to ask it refuses. Make a key with `sealring ssh key add`.
        """)

    @OptionGroup var place: SocketOptions

    @Option(
      help: ArgumentHelp(
        "Do not ask again for the same program, account and host for so many minutes (0 to 480).",
        valueName: "minutes"))
    var remember = 0

    @Option(
      help: ArgumentHelp(
        "How long a question waits for you before it is a no (5 to 600).", valueName: "seconds"))
    var answerWithin = 60

    @Flag(help: "Also answer hosts that the agent was forwarded to (ssh -A).")
    var allowForwarding = false

    @Flag(
      help:
        "Also sign in to servers that do not know the form which names the host (all but OpenSSH 8.9 and later). The question says so; never for a forwarded agent."
    )
    var allowOldServers = false

    @OptionGroup var asking: FingerPromptOptions

    @OptionGroup var chip: ChipOptions

    func validate() throws {
      guard (0...480).contains(remember) else {
        throw ValidationError("--remember needs 0 to 480 minutes, not \(remember).")
      }
      guard (5...600).contains(answerWithin) else {
        throw ValidationError("--answer-within needs 5 to 600 seconds, not \(answerWithin).")
      }
    }

    func run() async throws {
      #if os(Linux)
        try await serve()
      #else
        throw AgentCommand.needsLinux
      #endif
    }
  }

  static let needsLinux = CommandFailure.unsupported(
    "The agent needs sockets and facts about processes as Linux has them. Run it there.")

  /// The agent's log of questions and answers, in the client's home.
  static func logFile() throws -> URL {
    try ClientHome.standard.folder("agent").appending(path: "log")
  }
}

#if os(Linux)
  extension AgentCommand.Run {
    private func serve() async throws {
      let environment = Environment.variables
      let (socket, control) = try listening(environment)
      // A pinentry that exits in the middle of a dialog must not kill this process.
      signal(SIGPIPE, SIG_IGN)
      // The agent keeps reading its terminal, and does not return to a shell.
      Terminal.controlling.keepsEchoOff = false
      let log = AgentLog(file: try AgentCommand.logFile(), tell: Output.event)
      let questions = AgentQuestions(
        prompt: asking.prompt(environment),
        policy: AgentPolicy(
          remembersFor: TimeInterval(remember * 60), questionTime: TimeInterval(answerWithin)),
        log: log)
      let file = URL(filePath: ClientHome.userFolder(environment)).appending(path: ".ssh/known_hosts")
      let ssh = SSHAgent(
        keys: try chip.sshKeys(), certificates: .ofThisDevice, questions: questions,
        allowsForwarding: allowForwarding,
        allowsOldForm: allowOldServers,
        knownHosts: {
          let bytes = try? ProtectedFiles.read(file, limit: 4 << 20)
          return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
        })
      let startedAt = Date()
      AgentListener(socket, log: log) { ssh.conversation(with: $0) }.start()
      AgentListener(control, log: log) { _ in AgentControl(questions: questions, startedAt: startedAt) }
        .start()
      Output.line("SSH_AUTH_SOCK=\(socket.file.path(percentEncoded: false)); export SSH_AUTH_SOCK")
      // The agent runs until a signal ends it: the system then closes its connections and releases its lock.
      while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// The sockets for `ssh` and for the commands that control the agent.
    private func listening(_ environment: [String: String]) throws -> (AgentSocket, AgentSocket) {
      let passed = place.socket == nil ? try AgentSocket.passed(environment) : nil
      let socket = try passed ?? AgentSocket.listen(at: place.file())
      return (socket, try AgentSocket.listen(at: AgentSocket.control(beside: socket.file)))
    }
  }
#endif
