#if os(Linux)
  import CommonFixtures
  import Foundation
  import PersonFixtures
  import RuntimeLibraries
  import StrictJSON
  import Testing

  /// `sealring pam` with sudo, sshd and pamtester as Debian has them. They run with users, services and rules of the test's own, in a space of
  /// mounts that nothing else sees; that takes root.
  @Suite struct PAMCommandTests {
    private static let pin = "294751"

    /// Makes Mira, her key, her recovery codes and the services, has systemd start what answers, and runs a command as her or as root.
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
      for service in sudo sealring-test sshd; do
        [[ $service == sshd ]] && OPTIONS="$OPTIONS callers=any"
        printf 'auth required %s\naccount required pam_permit.so\nsession required pam_permit.so\n' \
          "$R/pam_sealring.so keys=$R/keys socket=$R/pam.socket check=$R/check.socket $OPTIONS" > "$R/pam.d/$service"
      done
      for file in pam.d passwd sudoers; do mount --bind "$R/$file" "/etc/$file"; done
      as="setpriv --reuid 4711 --regid 4711 --clear-groups env -i PATH=/usr/bin:/bin HOME=$R/home"
      line=$(echo 294751 | $as "$S" pam enrol --pin-stdin --store software 2>/dev/null)
      "$S" pam enrol --user mira --key "$line" --recovery-codes --folder "$R/keys" >"$R/codes" 2>/dev/null
      export R
      activate="env -i PATH=/usr/bin:/bin systemd-socket-activate -a --inetd -E RUNTIME_DIRECTORY=$R/places"
      $activate -l "$R/pam.socket" "$S" pam answer 2>"$R/log" &
      children=$!
      $activate -l "$R/check.socket" \
        "$S" pam check --folder "$R/keys" --settings "$R/server.conf" --log "$R/pam.log" 2>"$R/check.log" &
      children+=" $!"
      # What answered may still be writing what it did: it is waited for, ten seconds at most.
      answering() {
        local each
        for each in $children; do [[ -n $(cat "/proc/$each/task/$each/children") ]] && return; done 2>/dev/null
        return 1
      }
      finish() {
        for _ in {1..200}; do answering || break; sleep 0.05; done
        kill $children $server
      }
      trap finish EXIT
      until grep -q Listening "$R/log" && grep -q Listening "$R/check.log"; do sleep 0.05; done
      if [[ $1 == ssh ]]; then
        mkdir -p /run/sshd
        ssh-keygen -q -t ed25519 -N "" -f "$R/host"
        printf '%s\n' "Port $SSH_PORT" "ListenAddress 127.0.0.1" "HostKey $R/host" "PidFile none" "UsePAM yes" \
          "PubkeyAuthentication no" "PasswordAuthentication no" "KbdInteractiveAuthentication yes" > "$R/sshd.conf"
        /usr/sbin/sshd -D -f "$R/sshd.conf" -E "$R/sshd.log" &
        server=$!
        until grep -q listening "$R/sshd.log"; do sleep 0.05; done
        echo "[127.0.0.1]:$SSH_PORT $(cut -d' ' -f1,2 "$R/host.pub")" > "$R/known_hosts"
        set -- ssh -F none -o NumberOfPasswordPrompts=1 -o UserKnownHostsFile="$R/known_hosts" -p "$SSH_PORT" "${@:2}"
      fi
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

      /// A file of the script's.
      func text(_ name: String) throws -> String {
        try String(
          contentsOf: log.deletingLastPathComponent().appending(path: name), encoding: .utf8)
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
          environment: [
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SSH_PORT": "\(try LoopbackListener().port)",
          ], input: .device(terminal.path),
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
          end.log.contains(": -k -- sh -c echo%20I%20am%20$(id%20-un)\n")
            && end.log.contains("Signed. sudo for mira by /usr/bin/sudo (process "), "\(end.log)")
        #expect(!(question + end.shown + end.log).contains(Self.pin))
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `what sudo runs is on record, signed, and the environment of its caller changes nothing`()
      async throws
    {
      let environment = [
        "LD_PRELOAD=/nonexistent/evil.so", "SEALRING_HOME=/nonexistent", "HTTPS_PROXY=http://127.0.0.1:9",
        "SSL_CERT_FILE=/nonexistent", "SEALRING_CA_FILE=/nonexistent", "PAM_USER=root", "PAM_RUSER=root",
        "XDG_RUNTIME_DIR=/nonexistent", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
      ]
      let command = ["sudo", "-k", "--", "sh", "-c", "echo I am $(id -un)\u{1B}[2J"]
      try await run(options: "ledger=yes", ["env"] + environment + command) { run in
        let question = await run.read(until: "PIN: ")
        #expect(question.contains("-k -- sh -c echo%20I%20am%20$(id%20-un)%1B[2J"), "\(question)")
        run.terminal.type(Self.pin + "\n")
        let end = try await run.end()
        let notes = try run.text("check.log")
        #expect(end.shown.contains("I am root"), "\(end) \(notes)")
        let record = run.log.deletingLastPathComponent().appending(path: "pam.log")
        let tool = CommandLineTool(home: run.log.deletingLastPathComponent().appending(path: "client"))
        let log = try await tool.run(["pam", "log", "--file", record.path, "--json"])
        let entry = try log.json[0]
        #expect(log.status == 0 && entry?["user"] == "mira" && entry?["service"] == "sudo", "\(log)")
        #expect(
          entry?["command"]?.stringValue == "-k -- sh -c echo%20I%20am%20$(id%20-un)%1B[2J", "\(log)")
        #expect(!log.output.contains("\u{1B}"))
        let other = try run.text("pam.log").replacing("user mira", with: "user root")
        try Data(other.utf8).write(to: record)
        let changed = try await tool.run(["pam", "log", "--file", record.path])
        #expect(changed.status == 1 && changed.errors.contains("Entry 1 is damaged"), "\(changed)")
        try Data(other.utf8.dropLast()).write(to: record)
        let cut = try await tool.run(["pam", "log", "--file", record.path])
        #expect(cut.status == 1 && cut.errors.contains("Entry 1 is cut off"), "\(cut)")
        let missing = try await tool.run(["pam", "log", "--file", record.path + ".none"])
        #expect(
          missing.status == 1 && missing.errors.contains("cannot be read")
            && !missing.errors.contains("Nothing is on record"), "\(missing)")
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `of a command line of half a megabyte the question says that it goes on`() async throws {
      let command = "exec sudo -k -- true $(yes aaaa | head -n 100000)"
      try await run(["sh", "-c", command]) { run in
        let question = await run.read(until: "PIN: ")
        #expect(question.contains("a ...") && question.utf8.count < 2000, "\(question)")
        run.terminal.type("\n")
        for _ in 1...2 {
          _ = await run.read(until: "PIN: ")
          run.terminal.type("\n")
        }
        let end = try await run.end()
        #expect(end.log.contains("bytes that are not shown") || end.log.contains("…"), "\(end)")
      }
    }

    // What its caller chooses: its name, and the words of the prompt.
    @Test(
      .timeLimit(.minutes(2)),
      arguments: [
        (["bash", "-c", "exec -a $(printf 'a%.0s' $(seq 3001)) sudo -k -- true"], "PIN: "),
        (["sudo", "-p", "enter it ", "-k", "--", "true"], "enter it "),
      ])
    func `the command is shown above the prompt, whatever sudo is called with`(
      command: [String], prompt: String
    ) async throws {
      try await run(command) { run in
        let shown = await run.read(until: prompt)
        #expect(shown.contains("Sealring: sudo on /dev/pts/") && shown.contains(" -k -- true"), "\(shown)")
        run.terminal.type(Self.pin + "\n")
        let end = try await run.end()
        #expect(!end.shown.contains("ended with"), "\(end)")
      }
    }

    // What answers is a process of hers, which she can stop; the place is not hers.
    @Test(.timeLimit(.minutes(2)))
    func `before a session nobody is asked a fourth question while three wait`() async throws {
      let command = """
        mkfifo $R/nothing
        for i in 1 2 3; do
          pamtester sealring-test mira authenticate <>$R/nothing >$R/out$i 2>&1 &
          waiting="$waiting $!"
        done
        until [ $(cat $R/out* | grep -c PIN:) = 3 ]; do sleep 0.1; done
        pamtester sealring-test mira authenticate
        kill $waiting
        """
      try await run(as: "root", ["sh", "-c", command]) { run in
        let question = await run.read(until: "recovery code (Return for none)")
        #expect(!question.contains("PIN:"), "\(question)")
        let code = try #require(try run.text("codes").split(separator: "\n").first)
        run.terminal.type(code + "\n")
        let end = try await run.end()
        #expect(end.shown.contains("successfully authenticated"), "\(end)")
        #expect(end.log.contains("3 questions for mira wait already"), "\(end.log)")
      }
    }

    /// A connection to root's service, as the module makes it.
    private final class Module {
      private let descriptor: Int32

      init(at path: String, for user: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isConnected = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          }
        }
        try #require(isConnected)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let facts = [
          "sealring-pam 1", "nonce " + String(repeating: "0f", count: 32),
          "time \(Int(Date().timeIntervalSince1970))", "host laptop", "service sudo", "user \(user)",
          "caller \(user)", "remote ", "terminal /dev/pts/3", "program /usr/bin/sudo", "command true",
          "left-out 0", "verify recovery", "",
        ]
        for fact in facts { say(fact) }
      }

      deinit { close(descriptor) }

      func say(_ line: String) {
        _ = send(descriptor, line + "\n", line.utf8.count + 1, Int32(MSG_NOSIGNAL))
      }

      func line() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != 10 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `without systemd, too, one person's questions keep nobody else waiting`() async throws {
      try await withTemporaryFolder { folder in
        let tool = CommandLineTool(home: folder.appending(path: "client"))
        let (keys, socket) = (
          folder.appending(path: "keys").path, folder.appending(path: "run/check.socket").path
        )
        var codes: [String] = []
        for user in ["root", "daemon"] {
          let made = try await tool.run([
            "pam", "enrol", "--folder", keys, "--user", user, "--recovery-codes",
          ])
          codes = made.output.split(separator: "\n").map(String.init)
        }
        try #require(codes.count == 10)
        let said = folder.appending(path: "said")
        let service = try SpawnedProgram(
          CommandLineTool.binary.path(percentEncoded: false),
          [
            "pam", "check", "--socket", socket, "--folder", keys, "--log",
            folder.appending(path: "pam.log").path,
          ],
          environment: [
            "PATH": "/usr/bin:/bin", "RUNTIME_DIRECTORY": folder.appending(path: "places").path,
          ], output: .file(said), errors: .output)
        try await eventually("it listens") {
          (try? String(contentsOf: said, encoding: .utf8))?.contains("listening at") == true
        }
        let waiting = try (1...3).map { _ in try Module(at: socket, for: "root") }
        for module in waiting { #expect(module.line().hasPrefix("ask ")) }
        #expect(try Module(at: socket, for: "root").line() == "refused")
        let other = try Module(at: socket, for: "daemon")
        #expect(other.line().hasPrefix("ask "))
        other.say("pin \(codes[0])")
        #expect(other.line().hasPrefix("show ") && other.line().hasPrefix("approved "))
        withExtendedLifetime(waiting) {}
        service.send(SIGTERM)
        await service.end()
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a recovery code lets sudo run once`() async throws {
      try await run(["sudo", "-k", "--", "sh", "-c", "echo I am $(id -un)"]) { run in
        _ = await run.read(until: "PIN: ")
        let code = try #require(try run.text("codes").split(separator: "\n").first)
        run.terminal.type(code + "\n")
        let end = try await run.end()
        #expect(
          end.shown.contains("recovery codes that are left: 9") && end.shown.contains("I am root"), "\(end)")
        #expect(!end.shown.contains(code) && !end.log.contains(code))
        #expect(try run.text("check.log").contains("Approved, by a recovery code, 9 are left. sudo for mira"))
      }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [true, false])
    func `sshd with UsePAM asks for the PIN by keyboard-interactive`(isRight: Bool) async throws {
      try await run(as: "root", ["ssh", "mira@127.0.0.1", "id", "-un"]) { run in
        let question = await run.read(until: "PIN: ")
        #expect(question.contains("Sealring: sshd on ssh"), "\(question)")
        run.terminal.type((isRight ? Self.pin : "111111") + "\n")
        for left in isRight ? [] : [9, 8] {
          #expect(await run.read(until: "PIN: ").contains("The PIN is wrong, tries left: \(left)."))
          run.terminal.type("111111\n")
        }
        let end = try await run.end()
        let notes = try run.text("sshd.log")
        #expect(end.shown.split(whereSeparator: \.isNewline).contains("mira") == isRight, "\(end) \(notes)")
        if isRight {
          #expect(end.log.contains("Signed. sshd for mira by /usr/sbin/sshd (process "), "\(end.log)")
        }
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

    /// Runs `body` with what answers in a user's session, as the unit starts it: one process for all questions. The service's name is `service`.
    private func withAnswers(
      _ environment: [String: String], _ body: (_ test: () async throws -> CommandResult) async throws -> Void
    ) async throws -> String {
      try await withTemporaryFolder { folder in
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let module = folder.appending(path: "pam_sealring.so").path
        let build = try SpawnedProgram(
          root.appending(path: "scripts/pam-module").path, [module],
          environment: SpawnedProgram.environment([:]),
          output: .nothing, errors: .nothing)
        try #require(await build.end() == 0)
        let tool = CommandLineTool(home: folder.appending(path: "client"))
        let made = try await tool.run(["pam", "enrol", "--no-pin", "--store", "software"])
        let (keys, socket) = (folder.appending(path: "keys").path, folder.appending(path: "pam.socket").path)
        let line = made.output.trimmingCharacters(in: .newlines)
        let enrolled = try await tool.run([
          "pam", "enrol", "--folder", keys, "--user", "root", "--key", line,
        ])
        #expect(enrolled.status == 0, "\(enrolled)")
        let lines = "auth required \(module) keys=\(keys) socket=\(socket) verify=consent\n"
        try Data((lines + "account required pam_permit.so\n").utf8).write(
          to: folder.appending(path: "service"))
        let said = folder.appending(path: "said")
        let variables = environment.merging(
          ["SEALRING_HOME": folder.appending(path: "client").path], uniquingKeysWith: { $1 })
        let agent = try SpawnedProgram(
          "systemd-socket-activate",
          ["-l", socket] + variables.flatMap { ["-E", "\($0)=\($1)"] }
            + [CommandLineTool.binary.path(percentEncoded: false), "pam", "answer"],
          environment: ["PATH": environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin"],
          output: .file(said), errors: .output, leadsSession: true)
        try await eventually("it listens") {
          (try? String(contentsOf: said, encoding: .utf8))?.contains("Listening") == true
        }
        try await body {
          try await tool.run(["pam", "test", "--service", "service", "--services", folder.path])
        }
        agent.send(SIGTERM)
        await agent.end()
        return try String(contentsOf: said, encoding: .utf8)
      }
    }

    // One process answers all: what it has counted outlives the request.
    @Test(.timeLimit(.minutes(2)))
    func `after three refusals the next sudo asks nobody`() async throws {
      try await withTemporaryFolder { folder in
        let (pinentry, calls) = (folder.appending(path: "pinentry"), folder.appending(path: "calls"))
        try Data(
          """
          #!/bin/sh
          echo call >> \(calls.path); echo OK
          while read -r command rest; do case $command in CONFIRM) echo ERR 1;; *) echo OK;; esac; done
          """.utf8
        ).write(to: pinentry)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: pinentry.path)
        let environment = ["DISPLAY": ":0", "PATH": "\(folder.path):/usr/sbin:/usr/bin:/sbin:/bin"]
        let notes = try await withAnswers(environment) { test in
          for _ in 1...5 {
            let result = try await test()
            #expect(result.status == 1, "\(result)")
          }
        }
        let asked = try String(contentsOf: calls, encoding: .utf8)
        #expect(asked.split(separator: "\n").count == 3, "\(notes)")
        #expect(notes.contains("refused 3 times in a row"), "\(notes)")
      }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [("press yes", true), ("close", false), ("forge yes", false)])
    func `on the desktop a notification's button lets in`(act: String, agrees: Bool) async throws {
      try await NotificationService.run([act, "press no"]) { desktop in
        let notes = try await withAnswers(["DBUS_SESSION_BUS_ADDRESS": desktop.address]) { test in
          let result = try await test()
          #expect((result.status == 0) == agrees, "\(result)")
        }
        let shown = try JSONValue(parsing: Array(await desktop.next().utf8))
        let body = try #require(shown["body"]?.stringValue)
        for part in ["Service: service", "Account: root", "Command: pam test", "Answer until"] {
          #expect(body.contains(part), "\(body) \(notes)")
        }
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
