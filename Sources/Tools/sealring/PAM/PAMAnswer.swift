import Agent
import ArgumentParser
import DeviceKeys
import Foundation
import PAMAgent
import RuntimeLibraries
import TerminalText

struct PAMAnswer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer", abstract: "Answer the PAM module: systemd runs this when sudo or login asks.",
    discussion: """
      Answers at the socket that systemd passes, and ends when nothing has come for ten minutes. With a connection of the module as standard \
      input it answers that one: as root it becomes the user whom the module asks about, and that user's key signs. Without systemd, \
      --socket listens.
      """)

  @Option(help: "Listen at this socket.", completion: .file())
  var socket: String?

  /// The user that this program becomes; set by root's process, which starts it.
  @Option(help: .hidden)
  var become: String?

  @OptionGroup var asking: FingerPromptOptions
  @OptionGroup var chip: ChipOptions

  func run() async throws {
    #if os(Linux)
      // A module that closes the connection during a dialog must not kill this process.
      signal(SIGPIPE, SIG_IGN)
      if socket == nil, let channel = PAMChannel(STDIN_FILENO) {
        if let become { try Self.become(become) }
        if geteuid() == 0 {
          let request = try Self.request(at: channel)
          if request.user != "root" { return try await Self.passOn(request) }
        }
        return try await answer()(channel)
      }
      let passed =
        try socket.map { try AgentSocket.announced(at: $0) } ?? AgentSocket.passed(Environment.variables)
      guard let passed else { throw PAMCommand.noConnection }
      // All connections share one count of refusals.
      await passed.serve(most: Self.mostConnections, while: socket == nil ? 600 : nil, try answer())
    #else
      throw PAMCommand.needsLinux
    #endif
  }
}

#if os(Linux)
  extension PAMAnswer {
    /// The most questions that one user is asked at once.
    private static let mostConnections = 16

    private func answer() throws -> @Sendable (PAMChannel) async -> Void {
      let user = try PAMCommand.currentUser()
      let log = AgentLog(file: try AgentCommand.logFile(), tell: Output.event)
      let conversation = PAMConversation(
        keys: PAMKeys(store: try chip.keyStore(in: "pam")), user: user.name, uid: user.id,
        questions: AgentQuestions(prompt: asking.prompt(Environment.variables), log: log))
      return { log.note(await conversation.answer($0)) }
    }

    /// Restarts this program as the user for whom the waiting challenge is; root reads nothing else of the challenge, and opens no file
    /// of that user. This process waits, because it holds the user's place in the limit, which the user must not be able to give back.
    private static func passOn(_ request: PAMRequest) async throws {
      guard PAMUserFile.isUser(request.user), let program = ownPath else { throw noChallenge }
      let ended = try await PAMCommand.places("answer").withPlace(for: request) {
        let child = try SpawnedProgram(
          program, ["pam", "answer", "--become", request.user], environment: variables(), input: .inherited,
          output: .inherited, errors: .inherited)
        return await child.end()
      }
      guard let ended else {
        throw CommandFailure.refused(
          "\(PAMPlaces.count) questions for \(request.user) wait already, and this one is not asked.")
      }
      guard ended == 0 else { throw ExitCode(ended) }
    }

    private static let noChallenge = CommandFailure.unsupported(
      "The challenge is not one of the PAM module for a user of this machine.")

    /// The waiting challenge, which must come from a program of root.
    private static func request(at channel: PAMChannel) throws -> PAMRequest {
      guard channel.caller.user == 0 else {
        throw CommandFailure.unsupported("Another user's program connected, and is not answered.")
      }
      guard let request = channel.peek() else { throw noChallenge }
      return request
    }

    /// This program's path, which can no longer be read after the change of the user.
    private static var ownPath: String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    private static func variables(_ more: [String: String] = [:]) -> [String: String] {
      ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(more) { $1 }
    }

    /// Restarts this program as the user `name`.
    private static func become(_ name: String) throws {
      guard let program = ownPath, let entry = getpwnam(name)?.pointee, entry.pw_uid != 0,
        let home = entry.pw_dir
      else { throw noChallenge }
      let folder = String(cString: home)
      guard initgroups(name, entry.pw_gid) == 0, setgid(entry.pw_gid) == 0, setuid(entry.pw_uid) == 0,
        setuid(0) != 0, geteuid() == entry.pw_uid
      else { throw CommandFailure.unsupported("This process cannot become \(name).") }
      _ = chdir(folder)
      let words = [program, "pam", "answer"]
      let own = variables(["HOME": folder, "USER": name, "LOGNAME": name])
      execve(program, words.map { strdup($0) } + [nil], own.map { strdup("\($0.key)=\($0.value)") } + [nil])
      throw CommandFailure.unsupported("\(program) does not start: \(String(cString: strerror(errno)))")
    }
  }
#endif
