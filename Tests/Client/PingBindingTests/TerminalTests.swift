import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import SigningTransactions
import Testing

@testable import PingBinding
@testable import TerminalPrompts

/// The default prompts, on a pseudo-terminal.
@Suite(.serialized) struct TerminalTests {
  let line = PseudoTerminal()

  @Test func `a PIN is read without being shown`() async throws {
    let line = try #require(line)
    async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(
      prompt: Prompt(title: "Protect", subtitle: "", description: "Choose\u{1b}[2J"))
    let shown = await line.read(until: "PIN: ")
    #expect(shown.contains("Protect") && !shown.contains("\u{1b}"))
    #expect(!line.echoes)
    line.type("471108\n")
    #expect(await pin == "471108")
    #expect(line.echoes)
    #expect(await !line.read(until: "\n").contains("471108"))
  }

  @Test(arguments: ["\n", "\u{4}"])
  func `an empty line and the end of input cancel`(typed: String) async throws {
    let line = try #require(line)
    async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(
      prompt: AppPinConfig.defaultPrompt)
    _ = await line.read(until: "PIN: ")
    line.type(typed)
    #expect(await pin == nil)
    #expect(line.echoes)
  }

  @Test func `cancelling puts the terminal in order`() async throws {
    let line = try #require(line)
    let collector = DefaultPinCollector(terminal: line.terminal)
    let task = Task { await collector.collectPin(prompt: AppPinConfig.defaultPrompt) }
    _ = await line.read(until: "PIN: ")
    task.cancel()
    #expect(await task.value == nil)
    #expect(line.echoes)
  }

  /// What is typed after the time was over would be the shell's next command, in clear and in its history.
  @Test func `a half typed PIN does not reach the shell`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    let collector = DefaultPinCollector(terminal: line.terminal)
    let task = Task { await collector.collectPin(prompt: AppPinConfig.defaultPrompt) }
    _ = await line.read(until: "PIN: ")
    line.type("4711")
    task.cancel()
    #expect(await task.value == nil)
    async let discarded: Void = line.terminal.discardUnfinishedLine()
    _ = await line.read(until: "Press Return")
    #expect(!line.echoes)
    line.type("08\n")
    await discarded
    #expect(line.echoes)
    var waiting = pollfd(fd: shell, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 0) == 0, "nothing is left for the shell")
    // An answered question leaves nothing to throw away.
    async let pin = collector.collectPin(prompt: AppPinConfig.defaultPrompt)
    _ = await line.read(until: "PIN: ")
    line.type("471108\n")
    #expect(await pin == "471108")
    await line.terminal.discardUnfinishedLine()
  }

  /// Who does not see yet that the last PIN was wrong goes on typing: it would be shown, and be the shell's next command.
  @Test func `what is typed after the last wrong PIN does not reach the shell`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    let terminal = line.terminal
    terminal.keepsEchoOff = true
    async let pin = DefaultPinCollector(terminal: terminal).collectPin(prompt: AppPinConfig.defaultPrompt)
    _ = await line.read(until: "PIN: ")
    line.type("tulip75\n")
    #expect(await pin == "tulip75")
    #expect(!line.echoes, "until the command ends")
    // A question between shows what is typed.
    async let isAgreed = terminal.askYesNo("Go on")
    _ = await line.read(until: "(y/n): ")
    #expect(line.echoes)
    line.type("y\n")
    #expect(await isAgreed == .yes)
    #expect(!line.echoes)
    line.type("tulip77\n")
    await terminal.discardUnfinishedLine()
    var waiting = pollfd(fd: shell, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 0) == 0, "nothing is left for the shell")
    HiddenEcho.release()
    #expect(line.echoes)
  }

  @Test func `a short PIN is refused before it is typed again`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    var prompt = Prompt(title: "", subtitle: "", description: "")
    prompt.isNewPIN = true
    prompt.policy = PINPolicy(minimumLength: 6)
    async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(prompt: prompt)
    _ = await line.read(until: "New PIN: ")
    line.type("4711\n")
    #expect(await line.read(until: "PIN: ").contains("too short"))
    line.type("471108\n")
    _ = await line.read(until: "again: ")
    line.type("471108\n")
    #expect(await pin == "471108")
  }

  @Test func `a new PIN is entered twice and both have to be the same`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    var prompt = Prompt(title: "Protect", subtitle: "", description: "")
    prompt.isNewPIN = true
    prompt.problem = "The PIN is too short."
    async let pin = DefaultPinCollector(terminal: line.terminal).collectPin(prompt: prompt)
    #expect(await line.read(until: "New PIN: ").contains("The PIN is too short."))
    line.type("471108\n")
    _ = await line.read(until: "again: ")
    line.type("471109\n")
    #expect(await line.read(until: "New PIN: ").contains("The two PINs differ."))
    line.type("471108\n")
    _ = await line.read(until: "again: ")
    line.type("471108\n")
    #expect(await pin == "471108")
  }

  @Test func `a question that waits for its turn can be cancelled`() async throws {
    let line = try #require(line)
    let collector = DefaultPinCollector(terminal: line.terminal)
    let first = Task { await collector.collectPin(prompt: AppPinConfig.defaultPrompt) }
    _ = await line.read(until: "PIN: ")
    let second = Task { await collector.collectPin(prompt: AppPinConfig.defaultPrompt) }
    second.cancel()
    #expect(await second.value == nil)
    line.type("471108\n")
    #expect(await first.value == "471108")
  }

  @Test func `a signal reaches the program when the terminal is in order`() async throws {
    let line = try #require(line)
    let collector = DefaultPinCollector(terminal: line.terminal)
    // The program's own handler: it must come back after the question, and get the signal.
    let before = signal(SIGHUP) { _ in signalsSeen.withLock { $0 += 1 } }
    defer { _ = signal(SIGHUP, before) }
    let task = Task { await collector.collectPin(prompt: AppPinConfig.defaultPrompt) }
    _ = await line.read(until: "PIN: ")
    kill(getpid(), SIGHUP)
    #expect(await task.value == nil)
    #expect(line.echoes)
    try await eventually("the program's own handler has the signal") { signalsSeen.withLock { $0 } > 0 }
    #expect(signalsSeen.withLock { $0 } == 1)
  }

  @Test func `a key is chosen by its number`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    let keys = ["mira", ""].map {
      UserKey(keyTag: "t", userId: "id=\($0)", username: $0, kid: "k\($0)", authType: .none)
    }
    async let key = DefaultUserKeySelector(terminal: line.terminal).selectKey(
      userKeys: keys, prompt: Prompt(title: "", subtitle: "", description: ""))
    let shown = await line.read(until: "Key (1-2): ")
    #expect(shown.contains("Select Device Key"))
    #expect(shown.contains("1) mira (no PIN, bound ") && shown.contains("2) User: id="))
    line.type("3\n")
    _ = await line.read(until: "cancel: ")
    line.type("2\n")
    #expect(await key?.kid == "k")
  }

  @Test func `an answer typed before the question does not approve a transaction`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    line.type("y\ny\n")
    let transaction = try Transaction(amount: "9999.00", currency: "EUR", payee: "Mallory")
    async let isApproved = DefaultConfirmation(terminal: line.terminal).confirm(
      prompt: Prompt(title: "", subtitle: "", description: "").showing(transaction))
    #expect(await line.read(until: "(y/n): ").contains("9999.00"))
    line.type("n\n")
    #expect(try await !isApproved)
  }

  @Test func `an answer typed before the question chooses no key`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    line.type("1\n")
    let keys = ["a", "b"].map {
      UserKey(keyTag: "t", userId: "id=\($0)", username: $0, kid: $0, authType: .none)
    }
    async let key = DefaultUserKeySelector(terminal: line.terminal).selectKey(
      userKeys: keys, prompt: Prompt(title: "", subtitle: "", description: ""))
    _ = await line.read(until: "Key (1-2): ")
    line.type("2\n")
    #expect(await key?.kid == "b")
  }

  @Test func `a number that no list can have is asked for again`() async throws {
    let line = try #require(line)
    let shell = line.hold()
    defer { close(shell) }
    let keys = ["a", "b"].map {
      UserKey(keyTag: "t", userId: "id=\($0)", username: $0, kid: $0, authType: .none)
    }
    async let key = DefaultUserKeySelector(terminal: line.terminal).selectKey(
      userKeys: keys, prompt: Prompt(title: "", subtitle: "", description: ""))
    _ = await line.read(until: "Key (1-2): ")
    line.type("-9223372036854775808\n")
    _ = await line.read(until: "cancel: ")
    line.type("1\n")
    #expect(await key?.kid == "a")
  }

  @Test func `without a terminal nothing is chosen`() async {
    let nowhere = Terminal { -1 }
    let key = UserKey(keyTag: "t", userId: "u", username: "", kid: "k", authType: .none)
    #expect(
      await DefaultUserKeySelector(terminal: nowhere).selectKey(
        userKeys: [key, key], prompt: AppPinConfig.defaultPrompt) == nil)
    #expect(
      await DefaultPinCollector(terminal: nowhere).collectPin(prompt: AppPinConfig.defaultPrompt) == nil)
  }
}

private let signalsSeen = Locked(0)

extension PseudoTerminal {
  var terminal: Terminal { Terminal { [path] in open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) } }
}
