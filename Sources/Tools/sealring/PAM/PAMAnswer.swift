import Agent
import ArgumentParser
import Concurrency
import DeviceKeys
import Foundation
import PAMAgent
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

  @OptionGroup var asking: FingerPromptOptions
  @OptionGroup var chip: ChipOptions

  func run() async throws {
    #if os(Linux)
      // A module that ends while it is spoken to is an answer.
      signal(SIGPIPE, SIG_IGN)
      if socket == nil, let channel = PAMChannel(STDIN_FILENO) {
        if geteuid() == 0 { try Self.becomeUser(of: channel) }
        return try await answer()(channel)
      }
      let passed: AgentSocket
      do {
        if let socket {
          passed = try AgentSocket.listen(at: URL(filePath: socket))
          Output.line("listening at \(passed.file.path(percentEncoded: false))")
        } else if let listening = try AgentSocket.passed(Environment.variables) {
          passed = listening
        } else {
          throw CommandFailure.usage(
            "Standard input is not a connection of the PAM module. Name a socket with --socket.")
        }
      } catch let error as AgentError {
        throw CommandFailure.unsupported(error.localizedDescription)
      }
      await serve(passed, try answer(), while: socket == nil ? 600 : nil)
    #else
      throw PAMCommand.needsLinux
    #endif
  }
}

#if os(Linux)
  extension PAMAnswer {
    /// How many connections are answered at once; others are closed.
    private static let mostConnections = 16

    /// Answers all that connect, also several at once. Refusals are counted over all of them.
    ///
    /// - Parameter idle: After so many seconds without a connection it returns.
    private func serve(
      _ socket: AgentSocket, _ answer: @escaping @Sendable (PAMChannel) async -> Void, while idle: Int32?
    ) async {
      let open = Locked(0)
      while true {
        let connection = await Task.detached { socket.connection(within: idle) }.value
        guard let connection else {
          // Somebody may still be asked.
          if idle != nil, open.withLock({ $0 }) > 0 { continue }
          return
        }
        guard let channel = PAMChannel(connection), open.withLock({ $0 }) < Self.mostConnections else {
          close(connection)
          continue
        }
        open.withLock { $0 += 1 }
        Task {
          await answer(channel)
          close(connection)
          open.withLock { $0 -= 1 }
        }
      }
    }

    private func answer() throws -> @Sendable (PAMChannel) async -> Void {
      let user = try PAMCommand.currentUser()
      let log = AgentLog(file: try AgentCommand.logFile()) {
        Output.remark("\(Times.text(Date()))  \(TerminalText.line($0, columns: 400))")
      }
      let conversation = PAMConversation(
        keys: PAMKeys(store: try chip.keyStore(in: "pam")), user: user.name, uid: user.id,
        questions: AgentQuestions(prompt: asking.prompt(Environment.variables), log: log))
      return { log.note(await conversation.answer($0)) }
    }

    /// Runs this program anew as the user whom the waiting challenge is for; root has read nothing else of it, and opens none of their files.
    private static func becomeUser(of channel: PAMChannel) throws {
      let failure = CommandFailure.unsupported(
        "The challenge is not one of the PAM module for a user of this machine.")
      guard channel.caller.user == 0 else {
        throw CommandFailure.unsupported("Another user's program connected, and is not answered.")
      }
      guard let name = channel.peekUser() else { throw failure }
      if name == "root" { return }
      // The program's path before the change of the user, after which it cannot be seen.
      guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
        let entry = getpwnam(name)?.pointee, entry.pw_uid != 0, let home = entry.pw_dir
      else { throw failure }
      let folder = String(cString: home)
      guard initgroups(name, entry.pw_gid) == 0, setgid(entry.pw_gid) == 0, setuid(entry.pw_uid) == 0,
        setuid(0) != 0, geteuid() == entry.pw_uid
      else { throw CommandFailure.unsupported("This process cannot become \(name).") }
      _ = chdir(folder)
      let words: [String] = [program, "pam", "answer"]
      let variables: [String] = [
        "HOME=\(folder)", "USER=\(name)", "LOGNAME=\(name)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
      ]
      execve(program, words.map { strdup($0) } + [nil], variables.map { strdup($0) } + [nil])
      throw CommandFailure.unsupported("\(program) does not start: \(String(cString: strerror(errno)))")
    }
  }
#endif
