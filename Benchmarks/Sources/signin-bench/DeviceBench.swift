import BenchmarkReport
import BenchmarkServer
import Foundation

/// Device sign-ins under other conditions than those of the comparison with the bare program.
///
/// All take `[--seconds 5] [--rounds 5] [--connections 32]`.
struct DeviceBench {
  private let options: BenchmarkOptions
  private let seconds: Int
  private let rounds: Int
  private let connections: Int

  init(_ options: BenchmarkOptions) {
    self.options = options
    seconds = options.number("--seconds") ?? 5
    rounds = options.number("--rounds") ?? 5
    connections = options.number("--connections") ?? 32
  }

  /// Runs `body` with servers, each on a folder of its own with what `files` say, the fleet that all of them know, and the folders.
  private func withServers(
    _ files: [[String: String]], _ body: ([ServerChild], Fleet, [URL]) async throws -> Void
  ) async throws {
    let fleet = Fleet(count: connections)
    var (folders, servers): ([URL], [ServerChild]) = ([], [])
    defer {
      for server in servers { server.stop() }
      for folder in folders { try? FileManager.default.removeItem(at: folder) }
    }
    for files in files {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "signin-bench-\(UUID().uuidString)")
      folders.append(folder)
      try fleet.write(to: folder.appending(path: "fleet.json"))
      for (name, content) in files {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file, atomically: true, encoding: .utf8)
      }
      servers.append(try ServerChild(role: "sealring-server", folder: folder))
    }
    try await body(servers, fleet, folders)
  }

  /// `--others N`: with few accounts and devices in the store, and with N, each sign-in of one at random.
  func growth() async throws {
    let others = options.number("--others") ?? 100_000
    let counts = [1000, others]
    try await withServers(counts.map { [SealringServerRole.others: "\($0)"] }) { servers, fleet, _ in
      try await compare(
        servers, fleet, counts.map { GrownDialogue(accounts: $0, key: fleet.devices[0].key) },
        few: "growth-few", many: "growth-\(others)")
    }
  }

  /// `--entries N`: with an almost empty ledger, and with N entries in it.
  func entries() async throws {
    let entries = options.number("--entries") ?? 1_000_000
    try await withServers([[:], [:]]) { servers, fleet, folders in
      // What there are copies of.
      _ = try await Load.run(SealringDialogue(), on: servers[1], fleet: fleet, seconds: 1)
      let database = folders[1].appending(path: SealringServerRole.database)
      try await Growth.addEntries(entries, to: database)
      // What the system has still to write would be measured.
      sync()
      let bytes = try database.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      Measurement.emit("ledger-\(entries)-database", Double(bytes) / 1e9, "GB")
      try await compare(
        servers, fleet, [SealringDialogue(), SealringDialogue()], few: "ledger-few", many: "ledger-\(entries)"
      )
    }
  }

  /// Both servers in turns, and at a quarter of what the first one can, so that what is measured is a sign-in and not the queue
  /// before it.
  private func compare<Kind: Dialogue>(
    _ servers: [ServerChild], _ fleet: Fleet, _ dialogues: [Kind], few: String, many: String
  ) async throws {
    let full = try await Load.run(dialogues[0], on: servers[0], fleet: fleet, seconds: seconds)
    var pairs: [[Round]] = []
    for round in 0...rounds {
      var pair: [Int: Round] = [:]
      for index in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        pair[index] = try await Load.run(
          dialogues[index], on: servers[index], fleet: fleet, seconds: seconds, rate: full.rate / 4)
      }
      if round > 0, let few = pair[0], let many = pair[1] { pairs.append([few, many]) }
    }
    Measurement.emit("\(few)-p50", pairs.map { $0[0].percentile(0.5) }.median, "ms")
    Measurement.emit("\(many)-p50", pairs.map { $0[1].percentile(0.5) }.median, "ms")
    Measurement.emit(
      "\(many)-p50-of-few", pairs.map { $0[1].percentile(0.5) / $0[0].percentile(0.5) }.median, "ratio")
    Measurement.emit(
      "\(many)-cpu-of-few",
      pairs.map { $0[1].serverMicroseconds / $0[0].serverMicroseconds }.median, "ratio")
    Measurement.emit("\(many)-memory", servers[1].residentBytes / 1024 / 1024, "MiB")
  }

  /// `--half`: sign-ins that begin at fixed moments, half as many as the server can.
  func half() async throws {
    try await withServers([[:]]) { servers, fleet, _ in
      var (p50, p99, memory): ([Double], [Double], [Double]) = ([], [], [])
      let empty = servers[0].residentBytes
      for round in 0...rounds {
        let full = try await Load.run(SealringDialogue(), on: servers[0], fleet: fleet, seconds: seconds)
        let half = try await Load.run(
          SealringDialogue(), on: servers[0], fleet: fleet, seconds: seconds, rate: full.rate / 2)
        guard round > 0 else { continue }
        p50.append(half.percentile(0.5))
        p99.append(half.percentile(0.99))
        memory.append(servers[0].residentBytes)
      }
      Measurement.emit("half-load-p50", p50.median, "ms")
      Measurement.emit("half-load-p99", p99.median, "ms")
      Measurement.emit("memory-idle", empty / 1024 / 1024, "MiB")
      Measurement.emit("memory-after-load", servers[0].residentBytes / 1024 / 1024, "MiB")
      // What is not given back grows with each repetition.
      if let first = memory.first, let last = memory.last, memory.count > 1 {
        Measurement.emit("memory-of-last-round-in-first", last / first, "ratio")
      }
    }
  }

  /// `--operations`: devices that are bound, access tokens that are issued and introspected, and journeys that are begun and left,
  /// each at full load.
  func operations() async throws {
    // More than can be bound in that time.
    let accounts = 2500 * seconds * (rounds + 1)
    try await withServers([
      [
        SealringServerRole.others: "\(accounts)",
        SealringServerRole.journey: BindingDialogue.file, SealringServerRole.clients: TokenDialogue.file,
      ]
    ]) { servers, fleet, _ in
      func measure(_ name: String, _ unit: String, _ dialogue: some Dialogue) async throws {
        var all: [Round] = []
        for round in 0...rounds {
          let result = try await Load.run(dialogue, on: servers[0], fleet: fleet, seconds: seconds)
          if round > 0 { all.append(result) }
        }
        SignInBench.report(name, all, unit)
      }
      try await measure("token", "tokens/s", TokenDialogue())
      let before = servers[0].residentBytes
      let open = try await Load.run(OpenJourneyDialogue(), on: servers[0], fleet: fleet, seconds: seconds)
      Measurement.emit("open-journeys", Double(open.durations.count * 2), "journeys")
      Measurement.emit("open-journeys-memory", (servers[0].residentBytes - before) / 1024 / 1024, "MiB")
      try await measure("binding", "bindings/s", BindingDialogue(accounts: accounts))
    }
  }

  /// `--passwords`: device sign-ins at a tenth of the full rate, alone and beside people whose passwords keep all of the server's
  /// hashing busy.
  func passwords() async throws {
    try await withServers([[SealringServerRole.people: "64"]]) { servers, fleet, _ in
      let crowd = Fleet(count: 16)
      let full = try await Load.run(SealringDialogue(), on: servers[0], fleet: fleet, seconds: seconds)
      var (alone, beside, rates): ([Double], [Double], [Double]) = ([], [], [])
      for round in 0...rounds {
        func devices() async throws -> Round {
          try await Load.run(
            SealringDialogue(), on: servers[0], fleet: fleet, seconds: seconds, rate: full.rate / 10)
        }
        let quiet = try await devices()
        async let people = Load.run(
          PasswordDialogue(people: 64, word: "person"), on: servers[0], fleet: crowd, seconds: seconds)
        let busy = try await devices()
        let passwords = try await people
        guard round > 0 else { continue }
        alone.append(quiet.percentile(0.99))
        beside.append(busy.percentile(0.99))
        rates.append(passwords.rate)
      }
      Measurement.emit("devices-alone-p99", alone.median, "ms")
      Measurement.emit("devices-beside-passwords-p99", beside.median, "ms")
      Measurement.emit(
        "devices-beside-passwords-p99-of-alone", zip(beside, alone).map { $0 / $1 }.median, "ratio")
      Measurement.emit("password-sign-ins", rates.median, "sign-ins/s")
    }
  }
}
