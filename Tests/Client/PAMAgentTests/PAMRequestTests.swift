#if os(Linux) && DEBUG
  import Agent
  import DeviceKeys
  import Foundation
  import PersonPrompts
  import Testing

  @testable import PAMAgent

  /// What the PAM module asks, as the agent reads it.
  struct PAMRequestTests {
    static let point = "04" + String(repeating: "ab", count: 64)
    static let text = """
      sealring-pam 1
      nonce \(String(repeating: "0f", count: 32))
      time 1800000000
      host laptop
      service sudo
      user mira
      caller mira
      remote \n\
      terminal /dev/pts/3
      program /usr/bin/sudo
      command -u root sh -c rm%20-rf%20/;%0Aid %FF a%25b
      left-out 0
      verify pin
      key \(point)


      """

    @Test(arguments: ["server", "transaction", "recovery"])
    func `what is asked of root names no key`(word: String) throws {
      let text = Self.text.replacing("verify pin\nkey \(Self.point)", with: "verify \(word)")
      let request = try parse(text)
      #expect(request.wanted.rawValue == word && request.keys.isEmpty && !request.wanted.isLocal)
      #expect(request.nonce == String(repeating: "0f", count: 32))
    }

    @Test(arguments: [(-61.0, false), (-60, true), (0, true), (60, true), (61, false)])
    func `a challenge is fresh for a minute, and no sooner than a minute before`(
      later: TimeInterval, isFresh: Bool
    ) throws {
      #expect(try parse(Self.text).isFresh(at: Date(timeIntervalSince1970: 1_800_000_000 + later)) == isFresh)
    }

    private func parse(_ text: String) throws -> PAMRequest { try PAMRequest(parsing: Array(text.utf8)) }

    @Test func `a challenge is read, and the command is shown as it is signed`() throws {
      let request = try parse(Self.text)
      #expect(
        request.user == "mira" && request.service == "sudo" && request.remote.isEmpty && request.needsPIN)
      #expect(request.arguments == ["-u", "root", "sh", "-c", "rm -rf /;\nid", "%FF", "a%b"])
      #expect(request.command == "-u root sh -c rm%20-rf%20/;%0Aid %FF a%25b")
      #expect(request.bytes == Array(Self.text.utf8) && request.keys.count == 1)
      #expect(
        try parse(Self.text.replacing("left-out 0", with: "left-out 70")).command.hasSuffix(
          "… and 70 bytes that are not shown"))
      for (line, shown) in [("command", ""), ("command ", "''"), ("command -k  --", "-k '' --")] {
        let text = Self.text.replacing("command -u root sh -c rm%20-rf%20/;%0Aid %FF a%25b", with: line)
        #expect(try parse(text).command == shown)
      }
    }

    // `sudo sh -c $'true #\nrm -rf /srv'` on one line would be a comment.
    @Test func `the question for a yes has each character of the command`() throws {
      let request = try parse(
        Self.text.replacing(
          "-u root sh -c rm%20-rf%20/;%0Aid %FF a%25b",
          with: "sh -c true%20#%0Arm%20-rf%20/srv a%E2%80%AEb" + String(repeating: " word", count: 50)))
      let question = PersonQuestion(
        title: "", action: "", facts: try PAMConversation.facts(request), needsPIN: false, terminal: nil)
      #expect(question["Command"] == request.escapedCommand)
      #expect(question.details.contains("sh -c true%20#%0Arm%20-rf%20/srv a%E2%80%AEb word"))
      #expect(question.details.split(separator: " ").count { $0.hasPrefix("word") } == 50)
    }

    @Test func `a command of which the end is not known is not asked for a yes`() throws {
      let request = try parse(Self.text.replacing("left-out 0", with: "left-out 1"))
      #expect(throws: PAMRefusal.self) { try PAMConversation.facts(request) }
    }

    @Test(
      arguments: [
        (0, nil, "/usr/bin/sudo (process 7)"), (0, "/bin/su", "/bin/su (process 7)"),
        (1000, nil, "a program that cannot be seen (process 7)"),
        (1000, "/tmp/sudo", "/tmp/sudo (process 7)"),
      ] as [(UInt32, String?, String)])
    func `only root's program says by itself which it is`(user: UInt32, file: String?, shown: String) throws {
      let caller = Caller(user: user, process: 7, executable: file)
      #expect(PAMConversation.program(caller, asking: try parse(Self.text)).text == shown)
    }

    @Test(arguments: [
      ("sealring-pam 1", "sealring-pam 2"), ("nonce 0f", "nonce "), ("time 1", "time -1"),
      ("time 1800000000", "time x"),
      ("service sudo", "service su do"), ("service", "Service"), ("user mira\n", ""),
      ("user mira", "user mira\nuser ada"),
      ("%FF", "%F"), ("%FF", "\u{7F}"), ("%FF", "ü"), ("verify pin", "verify none"),
      ("verify pin", "verify server"), ("key 04", "key 05"),
      ("key 04", "key 0"),
      ("left-out 0", "left-out"), ("\n\n", "\n"), ("\n\n", "\n\n\n"), ("\n\n", "\n\nx"),
      ("key \(point)", String(repeating: "key \(point)\n", count: 17).trimmingCharacters(in: .newlines)),
      ("key \(point)\n", ""),
      ("laptop", String(repeating: "a", count: 17_000)),
    ])
    func `anything else is refused`(part: String, other: String) {
      #expect(throws: PAMRequest.Malformed.self) { try parse(Self.text.replacing(part, with: other)) }
    }

    @Test func `a line for root is one that the module takes`() async throws {
      let keys = PAMKeys(store: MemoryKeyStore())
      #expect(PAMKey.isLine(try await keys.add("login", pin: PIN("294751")).line))
      #expect(PAMKey.isLine(try await keys.add("yes", pin: nil).line))
      for line in ["", "pin \(Self.point) login", "pin 04 login", "other \(Self.point) login"] {
        #expect(!PAMKey.isLine(line))
      }
    }
  }
#endif
