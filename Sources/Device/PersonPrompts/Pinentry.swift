#if os(Linux)
  internal import Bytes
  internal import Concurrency
  internal import DeviceKeys
  package import Foundation
  internal import RuntimeLibraries
  internal import TerminalText

  /// Asks through GnuPG's `pinentry`, on a desktop or on another terminal (the Assuan protocol; pinentry's manual, "Protocol").
  package struct Pinentry: PersonPrompt {
    /// The longest command in bytes, without the end of the line (libassuan's `ASSUAN_LINELENGTH`).
    static let longestCommand = 1000

    private let program: String
    private let terminal: String?
    private let environment: [String: String]

    /// - Parameters:
    ///   - program: A path, or a name that is looked for in `PATH`.
    ///   - terminal: Where `pinentry-curses` asks, such as `/dev/pts/3`. Without it the terminal of the program that asks is used for a PIN.
    ///   - environment: The program's variables: it needs those of the desktop.
    package init(_ program: String, terminal: String?, environment: [String: String]) {
      (self.program, self.terminal, self.environment) = (program, terminal, environment)
    }

    package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      // A program could answer yes on its own terminal, but it does not know the PIN.
      let terminal = terminal ?? (question.needsPIN ? question.terminal : nil)
      guard terminal != nil || isDesktop else {
        return .nobody("there is no desktop, and no terminal that pinentry could ask on")
      }
      let seconds = max(1, Int(end.timeIntervalSinceNow.rounded(.up)))
      var commands = ["SETTIMEOUT \(seconds)", "SETTITLE Sealring"]
      if let terminal { commands.append("OPTION ttyname=\(Self.escaped(terminal))") }
      commands.append("OPTION ttytype=\(Self.escaped(environment["TERM"] ?? "xterm"))")
      if let remark = question.remark { commands.append("SETERROR \(Self.escaped(remark))") }
      let text = "\(question.title)\n\(question.details)" + (question.needsPIN ? "" : question.action)
      commands.append("SETDESC \(Self.escaped(text))")
      commands += question.needsPIN ? ["SETPROMPT PIN:", "GETPIN"] : ["CONFIRM"]
      // A shortened question could lack what decides the answer.
      guard commands.allSatisfy({ $0.utf8.count <= Self.longestCommand }) else {
        return .nobody("the question is longer than pinentry takes")
      }
      do {
        let dialogue = try AssuanDialogue(program, environment: environment)
        let answer = await dialogue.conduct(commands)
        guard let answer else { return .no }
        guard question.needsPIN else { return .yes }
        let pin = PIN(String(decoding: answer, as: UTF8.self))
        return pin.isEmpty ? .no : .pin(pin)
      } catch {
        return .nobody("\(error)")
      }
    }

    private var isDesktop: Bool {
      ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Encodes `%` and control characters in a command's parameter.
    static func escaped(_ text: String) -> String {
      String(
        decoding: text.utf8.flatMap {
          $0 == UInt8(ascii: "%") || $0 < 0x20
            ? Array("%".utf8) + Array([$0].hexadecimal.uppercased().utf8) : [$0]
        }, as: UTF8.self)
    }

    /// The bytes of a `D` line; `nil` for a broken escape.
    static func unescaped(_ bytes: some Collection<UInt8>) -> [UInt8]? {
      var (rest, result) = (Array(bytes)[...], [UInt8]())
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          result.append(byte)
          continue
        }
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else {
          return nil
        }
        result.append(value)
        rest = rest.dropFirst(2)
      }
      return result
    }
  }

  /// One run of a program that speaks Assuan.
  private struct AssuanDialogue {
    /// The longest line in bytes, as in libassuan.
    private static let longestLine = 1002

    private let child: SpawnedProgram
    private let (reading, writing): (Int32, Int32)
    private let progress = Locked((isEnding: false, hasEnded: false))

    init(_ program: String, environment: [String: String]) throws {
      let (input, output) = (try SpawnedProgram.pipe(), try SpawnedProgram.pipe())
      defer {
        close(input.reading)
        close(output.writing)
      }
      do {
        child = try SpawnedProgram(
          program, [], environment: environment, input: .descriptor(input.reading),
          output: .descriptor(output.writing), errors: .nothing)
      } catch {
        close(input.writing)
        close(output.reading)
        throw error
      }
      (reading, writing) = (output.reading, input.writing)
    }

    /// Sends the commands and returns the data of the last answer; `nil` unless that was `OK`. Ends the program.
    func conduct(_ commands: [String]) async -> [UInt8]? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            let answer = exchange(commands)
            close(writing)
            close(reading)
            end()
            wait()
            continuation.resume(returning: answer)
          }
        }
      } onCancel: {
        end()
      }
    }

    /// Ends the program, by force after one second, because other questions wait.
    private func end() {
      progress.withLock { $0.isEnding = true }
      send(SIGTERM)
      Thread.detachNewThread {
        poll(nil, 0, 1000)
        send(SIGKILL)
      }
    }

    private func send(_ signal: Int32) {
      progress.withLock { if !$0.hasEnded { child.send(signal) } }
    }

    /// Waits for the program to end. Its identifier may then belong to another program, so no signal is sent from then on.
    private func wait() {
      var end = siginfo_t()
      while waitid(P_PID, id_t(child.identifier), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      progress.withLock { progress in
        child.wait()
        progress.hasEnded = true
      }
    }

    private var isEnding: Bool { progress.withLock { $0.isEnding } }

    private func exchange(_ commands: [String]) -> [UInt8]? {
      guard answer() != nil else { return nil }
      for command in commands.dropLast() {
        guard say(command) else { return nil }
        // An option that this pinentry does not know is harmless. A text that it does not show is not agreed to.
        guard answer() != nil || !command.hasPrefix("SETDESC ") else { return nil }
      }
      guard let last = commands.last, say(last) else { return nil }
      return answer()
    }

    private func say(_ command: String) -> Bool {
      let line = Array((command + "\n").utf8)
      // The program may be gone; SIGPIPE must not end this process.
      var waiting = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
      guard !isEnding, poll(&waiting, 1, 1000) == 1, waiting.revents & Int16(POLLERR) == 0 else {
        return false
      }
      return write(writing, line, line.count) == line.count
    }

    /// The data before `OK`; `nil` after `ERR`, at the end, or for anything that is not Assuan.
    private func answer() -> [UInt8]? {
      var data: [UInt8] = []
      while let line = line() {
        if line.starts(with: Array("OK".utf8)) { return data }
        if line.starts(with: Array("D ".utf8)) {
          guard let more = Pinentry.unescaped(line.dropFirst(2)), data.count < 4096 else { return nil }
          data += more
        } else if !line.starts(with: Array("S ".utf8)), !line.starts(with: Array("#".utf8)) {
          return nil
        }
      }
      return nil
    }

    private func line() -> [UInt8]? {
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while line.count < Self.longestLine {
        // A child of the program can keep the pipe open after the program has ended.
        var waiting = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, 1000)
        if ready == 0, isEnding { return nil }
        if ready == 0 || ready < 0 && errno == EINTR { continue }
        let count = Glibc.read(reading, &byte, 1)
        if count < 0, errno == EINTR { continue }
        guard count == 1 else { return nil }
        if byte == UInt8(ascii: "\n") { return line }
        line.append(byte)
      }
      return nil
    }
  }
#endif
