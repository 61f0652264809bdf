import Agent
import ArgumentParser
import DeviceKeys
import Foundation
import PAMAgent
import TerminalText

struct PAMAnswer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer", abstract: "Answer the PAM module: systemd runs this when sudo or login asks.",
    discussion: """
      Standard input is a connection of the module. As root it becomes the user whom the module asks about, and that user's key signs. \
      Without systemd, --socket listens.
      """)

  @Option(
    help: "Listen at this socket, and answer one question after the other.", completion: .file())
  var socket: String?

  @OptionGroup var asking: FingerPromptOptions
  @OptionGroup var chip: ChipOptions

  func run() async throws {
    #if os(Linux)
      // A module that ends while it is spoken to is an answer.
      signal(SIGPIPE, SIG_IGN)
      if let socket {
        try await listen(at: URL(filePath: socket))
      } else {
        guard let channel = PAMChannel(STDIN_FILENO) else {
          throw CommandFailure.usage(
            "Standard input is not a connection of the PAM module. Name a socket with --socket.")
        }
        if geteuid() == 0 { try Self.becomeUser(of: channel) }
        try await answer(channel)
      }
    #else
      throw CommandFailure.unsupported("The PAM module is for Linux.")
    #endif
  }
}

#if os(Linux)
  extension PAMAnswer {
    private func listen(at file: URL) async throws {
      let socket: AgentSocket
      do { socket = try AgentSocket.listen(at: file) } catch let error as AgentError {
        throw CommandFailure.unsupported(error.localizedDescription)
      }
      Output.line("listening at \(file.path(percentEncoded: false))")
      while true {
        let connection = await Task.detached { socket.connection() }.value
        guard let connection else { return }
        if let channel = PAMChannel(connection) { try await answer(channel) }
        close(connection)
      }
    }

    private func answer(_ channel: PAMChannel) async throws {
      let user = try PAMCommand.currentUser()
      let log = AgentLog(file: try AgentCommand.logFile()) {
        Output.remark("\(Times.text(Date()))  \(TerminalText.line($0, columns: 400))")
      }
      let questions = AgentQuestions(
        prompt: asking.prompt(Environment.variables), log: log)
      let conversation = PAMConversation(
        keys: PAMKeys(store: try chip.keyStore(in: "pam")), user: user.name, uid: user.id,
        questions: questions)
      log.note(await conversation.answer(channel))
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
