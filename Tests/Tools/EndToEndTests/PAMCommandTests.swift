#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import StrictJSON
  import Testing

  /// `sealring pam` with sudo and pamtester as Debian has them. They run with users, services and rules of the test's own, in a space of
  /// mounts that nothing else sees; that takes root.
  @Suite struct PAMCommandTests {
    private static let pin = "294751"

    /// Makes Mira, her key and the service `sudo`, has systemd start what answers, and runs a command as her or as root.
    private static let script = #"""
      set -e
      R=$1 S=$2 WHO=$3 OPTIONS=$4
      shift 4
      mkdir -p "$R/pam.d" "$R/keys" "$R/home"
      cp -a /etc/pam.d/. "$R/pam.d/"
      chown 4711:4711 "$R/home"
      { cat /etc/passwd; echo "mira:x:4711:4711::$R/home:/bin/sh"; } > "$R/passwd"
      printf 'mira ALL=(ALL) ALL\nDefaults lecture=never\n' > "$R/sudoers"
      chmod 440 "$R/sudoers"
      for service in sudo sealring-test; do
        printf 'auth required %s\naccount required pam_permit.so\nsession required pam_permit.so\n' \
          "$R/pam_sealring.so keys=$R/keys socket=$R/pam.socket $OPTIONS" > "$R/pam.d/$service"
      done
      for file in pam.d passwd sudoers; do mount --bind "$R/$file" "/etc/$file"; done
      as="setpriv --reuid 4711 --regid 4711 --clear-groups env -i PATH=/usr/bin:/bin HOME=$R/home"
      line=$(echo 294751 | $as "$S" pam enrol --pin-stdin --store software 2>/dev/null)
      "$S" pam enrol --user mira --key "$line" --folder "$R/keys" 2>/dev/null
      env -i PATH=/usr/bin:/bin systemd-socket-activate -a --inetd -l "$R/pam.socket" "$S" pam answer 2>"$R/log" &
      trap "kill $!" EXIT
      until grep -q Listening "$R/log"; do sleep 0.05; done
      [[ $WHO == root ]] && as=
      $as "$@" || echo "ended with $?"
      """#

    private struct Run {
      let terminal: PseudoTerminal
      let process: SpawnedProgram
      let log: URL

      func read(until end: String) async -> String {
        await terminal.read(until: end).replacing("\r", with: "")
      }

      /// The rest of what is shown, and what was noted.
      func end() async throws -> (shown: String, log: String) {
        let shown = await read(until: "\u{0}")
        await process.end()
        return (shown, try String(contentsOf: log, encoding: .utf8))
      }
    }

    private func run(
      as user: String = "mira", options: String = "", _ command: [String], _ body: (Run) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        // Mira's programs come by here.
        for place in [folder, folder.deletingLastPathComponent()] {
          try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
        }
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let module = try SpawnedProgram(
          root.appending(path: "scripts/pam-module").path, [folder.appending(path: "pam_sealring.so").path],
          environment: SpawnedProgram.environment([:]), output: .nothing, errors: .nothing)
        try #require(await module.end() == 0)
        let terminal = try #require(PseudoTerminal())
        terminal.resize(columns: 200, rows: 24)
        let process = try SpawnedProgram(
          "unshare",
          [
            "--mount", "bash", "-c", Self.script, "pam", folder.path,
            CommandLineTool.binary.path(percentEncoded: false), user, options,
          ]
            + command,
          environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], input: .device(terminal.path),
          output: .device(terminal.path),
          errors: .device(terminal.path), leadsSession: true)
        try await body(Run(terminal: terminal, process: process, log: folder.appending(path: "log")))
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `sudo shows what it is to run, and runs it after the PIN`() async throws {
      try await run(["sudo", "-k", "--", "sh", "-c", "echo I am $(id -un)"]) { run in
        let question = await run.read(until: "PIN: ")
        #expect(question.contains("Sealring: sudo on /dev/pts/"), "\(question)")
        #expect(question.contains(", -k -- sh -c echo%20I%20am%20$(id%20-un)"), "\(question)")
        run.terminal.type("111111\n")
        #expect(await run.read(until: "PIN: ").contains("The PIN is wrong, tries left: 9."))
        run.terminal.type(Self.pin + "\n")
        let end = try await run.end()
        #expect(end.shown.contains("I am root") && !end.shown.contains("ended with"), "\(end)")
        #expect(
          end.log.contains("Signed. sudo for mira by /usr/bin/sudo: -k -- sh -c 'echo I am $(id -un)'"),
          "\(end.log)")
        #expect(!(question + end.shown + end.log).contains(Self.pin))
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `without a PIN sudo runs nothing`() async throws {
      try await run(["sudo", "-k", "--", "sh", "-c", "echo I am $(id -un)"]) { run in
        for _ in 1...3 {
          _ = await run.read(until: "PIN: ")
          run.terminal.type("\n")
        }
        let end = try await run.end()
        #expect(!end.shown.contains("I am root") && end.shown.contains("ended with 1"), "\(end)")
      }
    }

    // A program of hers could say it, too.
    @Test(.timeLimit(.minutes(2)))
    func `a yes on sudo's own input is no consent`() async throws {
      try await run(options: "verify=consent", ["sh", "-c", "yes | sudo -S -k id -un"]) { run in
        let end = try await run.end()
        #expect(!end.shown.contains("root\n") && end.shown.contains("ended with 1"), "\(end)")
      }
    }

    @Test(
      .timeLimit(.minutes(2)),
      arguments: [
        (["pamtester", "sealring-test", "mira", "authenticate"], true),
        (["sh", "-c", "pamtester sealring-test $(printf 'mir\\377') authenticate"], false),
        (["pamtester", "sealring-test", "../keys/mira", "authenticate"], false),
        (["pamtester", "sealring-test", "root", "authenticate"], false),
        (["pamtester", "-I", "rhost=203.0.113.7", "sealring-test", "mira", "authenticate"], false),
        (["pamtester", "-I", "ruser=babs", "sealring-test", "mira", "authenticate"], false),
        (["pamtester", "-I", "ruser=root", "sealring-test", "mira", "authenticate"], true),
      ])
    func `before a session root's programs ask what becomes the user; strangers and odd names are nobody's`(
      command: [String], isKnown: Bool
    ) async throws {
      try await run(as: "root", command) { run in
        if isKnown {
          _ = await run.read(until: "PIN: ")
          run.terminal.type(Self.pin + "\n")
        }
        let end = try await run.end()
        #expect(end.shown.contains("successfully authenticated") == isKnown, "\(end)")
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `what is wrong with a line or a name is said before anything is written`() async throws {
      try await withTemporaryFolder { folder in
        let tool = CommandLineTool(home: folder)
        let made = try await tool.run(
          ["pam", "enrol", "--pin-stdin", "--store", "software"], input: Self.pin + "\n")
        #expect(
          made.status == 0 && made.output.hasPrefix("pin 04") && made.output.hasSuffix(" login\n"), "\(made)")
        let line = made.output.trimmingCharacters(in: .newlines)
        #expect(try await tool.run(["pam", "enrol"]).output == made.output)
        let keys = folder.appending(path: "enrolled").path
        let enrol = ["pam", "enrol", "--folder", keys]
        for (user, key) in [
          ("../mira", line), ("root", "pin 04 login"), ("root", line + "\npin"), ("", line),
        ] {
          let refused = try await tool.run(enrol + ["--user", user, "--key", key])
          #expect(refused.status == 64, "\(user) \(refused)")
        }
        #expect(try await tool.run(enrol + ["--user", "nobody-of-this-name", "--key", line]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: keys))
        #expect(try await tool.run(enrol + ["--user", "root", "--key", line]).status == 0)
        #expect(try await tool.run(enrol + ["--user", "root", "--key", line, "--json"]).json["keys"] == 1)
        let codes = try await tool.run(
          enrol + ["--user", "root", "--recovery-codes", "--server-account", "mira"])
        #expect(codes.status == 0 && codes.output.split(separator: "\n").count == 10, "\(codes)")
        let kept = try String(contentsOfFile: keys + "/root", encoding: .utf8)
        #expect(kept.contains("server mira\n") && kept.contains(line))
        #expect(!codes.output.split(separator: "\n").contains { kept.contains($0) })
        for wrong in [
          ["--recovery-codes"], ["--user", "root"], ["--user", "root", "--server-account", "a\nb"],
        ] {
          #expect(try await tool.run(enrol + wrong).status == 64, "\(wrong)")
        }
        let status = try await tool.run(["pam", "status", "--folder", keys, "--services", keys, "--json"])
        #expect(try status.json[0]?["state"] == "enrolled for root", "\(status)")
        #expect(
          try status.json.arrayValue?.compactMap { $0["name"]?.stringValue }.contains("10") == true,
          "\(status)")
        let test = try await tool.run(["pam", "test", "--service", "none-of-this-name"])
        #expect(test.status == 1 && test.errors.contains("/etc/pam.d/none-of-this-name"), "\(test)")
      }
    }
  }
#endif
