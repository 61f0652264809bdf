#if os(Linux) && DEBUG
  import DeviceKeys
  import Foundation
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

    @Test func `a challenge is read, and the command is shown so that no word passes for two`() throws {
      let request = try parse(Self.text)
      #expect(
        request.user == "mira" && request.service == "sudo" && request.remote.isEmpty && request.needsPIN)
      #expect(request.arguments == ["-u", "root", "sh", "-c", "rm -rf /;\nid", "%FF", "a%b"])
      #expect(request.command == "-u root sh -c 'rm -rf /;\nid' %FF a%b")
      #expect(request.bytes == Array(Self.text.utf8) && request.keys.count == 1)
      #expect(
        try parse(Self.text.replacing("left-out 0", with: "left-out 70")).command.hasSuffix(
          "… and 70 bytes that are not shown"))
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
