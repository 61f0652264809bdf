package import Foundation
internal import JourneyScripts
internal import JourneyStore
internal import JourneyStorePostgres
internal import TerminalText

/// The checks of the machine that a server is on: without the server for `sealring doctor`, and by the running server for its page.
package struct ServerChecks: Sendable {
  let place: StoreOpening.Place
  let journeys: String?
  let certificate: String?
  let key: String?
  let now: @Sendable () -> Date

  /// - Parameters:
  ///   - journeys: the folder of the operator's own journeys.
  ///   - certificate: of TLS, with its key; `nil` when something in front of the server has it.
  package init(
    place: StoreOpening.Place, journeys: String?, certificate: String?, key: String?,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.place, self.journeys, self.certificate, self.key, self.now) = (
      place, journeys, certificate, key, now
    )
  }

  /// Days before the end of a certificate from which on it is said.
  private static let warningDays: TimeInterval = 21

  /// Free bytes below which a server soon stops working, and below which it is time to make room.
  private static let (fullBytes, scarceBytes) = (64 << 20, 1 << 30)

  /// What the command says: everything, and all of the database is read.
  package func ofCommand() async -> [HealthCheck] {
    var checks = files
    if case .directory(let data) = place, isThere { checks.append(await database(data)) }
    checks += await machine()
    checks += journeyFolder()
    checks.append(scripts())
    checks.append(tls())
    return checks
  }

  /// What the running server says of its machine: nothing that reads a whole database, or loads journeys that it has loaded.
  func ofServer() async -> [HealthCheck] { files + (await machine()) + [scripts(), tls()] }

  private var isThere: Bool { place.folder.map { FileManager.default.fileExists(atPath: $0.path) } ?? false }

  /// Who may read what only the server should.
  private var files: [HealthCheck] {
    guard let data = place.folder else {
      return [
        HealthCheck.Subject("data", "data folder")(
          .warning, "there is none: everything is in memory, and is gone when the server stops",
          advice: "Start the server with --data DIR, unless this is a trial.")
      ]
    }
    var checks = [HealthCheck.rights("data", "data folder", of: data.path, isFolder: true)]
    guard checks[0].state == .ok || isThere else { return checks }
    checks.append(.rights("key", "key file", of: data.appending(path: "server.key").path, isFolder: false))
    if case .directory = place {
      checks.append(
        .rights(
          "databaseFile", "database file", of: data.appending(path: "sealring.sqlite").path, isFolder: false))
    }
    return checks
  }

  private func machine() async -> [HealthCheck] {
    var checks: [HealthCheck] = []
    if let data = place.folder, isThere { checks += [time(data), space(data)] }
    if case .postgres(let address, let data) = place {
      checks += await PostgresInspection.findings(address, directory: data).map(HealthCheck.init)
    }
    return checks
  }

  private func space(_ data: URL) -> HealthCheck {
    let check = HealthCheck.Subject("space", "disk space")
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: data.path)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
      return check(.warning, "how much is free at \(data.path) cannot be found out", advice: "Look with df.")
    }
    let text = "\(free >> 20) MiB free at \(data.path)"
    guard free < Self.scarceBytes else { return check(.ok, text) }
    return check(
      free < Self.fullBytes ? .failed : .warning, text,
      advice: "Make room, or move the folder to a larger disk: nothing is acknowledged that cannot be stored."
    )
  }

  private func database(_ data: URL) async -> HealthCheck {
    let check = HealthCheck.Subject("database", "database")
    do {
      let problems = try await StoreInspection.problems(in: data)
      guard let first = problems.first else {
        let fingerprint = try ServerFingerprint.of(data)
        return check(.ok, "intact, and the key file belongs to it; its fingerprint is \(fingerprint)")
      }
      return check(
        .failed,
        "\(problems.count == 1 ? "" : "\(problems.count) faults, the first: ")\(first)",
        advice: "Stop the server, keep the folder for an investigation, and restore a backup.")
    } catch {
      return check(
        .failed, "\(error)",
        advice: "Check --data; restore sealring.sqlite and server.key together from one backup.")
    }
  }

  /// With a clock that was set back, expired codes and sessions are valid again.
  private func time(_ data: URL) -> HealthCheck {
    let check = HealthCheck.Subject("time", "time")
    let now = now()
    let files = ["sealring.sqlite", "sealring.sqlite-wal", "events.jsonl"]
    let newest = files.compactMap {
      try? FileManager.default.attributesOfItem(atPath: data.appending(path: $0).path)[.modificationDate]
        as? Date
    }.max()
    guard let newest, newest.timeIntervalSince(now) > HealthCheck.clockExactness else {
      return check(.ok, TerminalText.Times.text(now))
    }
    return check(
      .failed,
      "it is \(TerminalText.Times.text(now)), but the data were written \(TerminalText.duration(newest.timeIntervalSince(now))) later than that",
      advice:
        "Synchronise the clock before the server starts: with a clock that was set back, what has expired is valid again."
    )
  }

  private func journeyFolder() -> [HealthCheck] {
    let check = HealthCheck.Subject("journeys", "journeys")
    guard let journeys else {
      return [
        check(.absent, "no folder of your own; the bundled ones are built in")
      ]
    }
    let manager = FileManager.default
    let folder = URL(filePath: journeys)
    guard let realms = try? manager.contentsOfDirectory(atPath: folder.path).sorted() else {
      return [
        check(
          .failed, "\(folder.path) cannot be read",
          advice: "Check --journeys, and who may read it.")
      ]
    }
    var (names, checks): ([String], [HealthCheck]) = ([], [])
    for realm in realms {
      let check = HealthCheck.Subject("journeys", "journeys")
      let inRealm = folder.appending(path: realm)
      if realm.hasSuffix(".journey.json") {
        checks.append(
          check(
            .warning, "\(inRealm.path) is in no realm's folder",
            advice: "Move it to \(folder.path)/REALM/."))
      }
      for file in ((try? manager.contentsOfDirectory(atPath: inRealm.path)) ?? []).sorted()
      where file.hasSuffix(".journey.json") {
        let file = inRealm.appending(path: file)
        do {
          let bytes = [UInt8](try Data(contentsOf: file))
          names += try JourneyFileCheck.check(
            bytes, source: file.path, references: JourneyFolder.references(beside: file)
          ).journeys.map { "\(realm)/\($0)" }
        } catch {
          checks.append(
            check(
              .failed, "\(error)",
              advice:
                "Correct the file; `sealring journey check \(file.path)` has more. Its journeys are not offered until then."
            ))
        }
      }
    }
    if checks.isEmpty {
      checks.append(
        check(
          .ok,
          names.isEmpty ? "none in \(folder.path)" : names.joined(separator: ", ")))
    }
    return checks
  }

  /// Only journeys with scripts need the engine.
  private func scripts() -> HealthCheck {
    let check = HealthCheck.Subject("scripts", "script engine")
    guard let missing = ScriptWorkers.missingLibrary else {
      return check(.ok, "JavaScriptCore is installed, for journeys with scripts")
    }
    return check(.absent, "\(missing), if journeys have scripts")
  }

  private func tls() -> HealthCheck {
    let check = HealthCheck.Subject("tls", "TLS certificate")
    guard let certificate, let key else {
      return check(
        .absent,
        "none is given: a proxy in front of the server has it, or the server is for this machine only")
    }
    do {
      let validity = try TLSFiles(certificate: URL(filePath: certificate), key: URL(filePath: key)).validity()
      let left = validity.upperBound.timeIntervalSince(now())
      if validity.lowerBound > now() {
        return check(
          .failed,
          "\(certificate) is not valid before \(TerminalText.Times.text(validity.lowerBound))",
          advice: "Check this machine's clock, or use the previous certificate.")
      }
      if left < 0 {
        return check(
          .failed,
          "\(certificate) expired on \(TerminalText.Times.text(validity.upperBound))",
          advice: "Renew it; the server takes new files by itself.")
      }
      let end = "\(certificate) is valid until \(TerminalText.Times.text(validity.upperBound))"
      return left < Self.warningDays * 86400
        ? check(
          .warning, "\(end), \(TerminalText.duration(left)) from now",
          advice: "Renew it; the server takes new files by itself.")
        : check(.ok, end)
    } catch {
      return check(
        .failed, "\(error)",
        advice: "Give the certificate and key that the server starts with.")
    }
  }
}

extension HealthCheck {
  /// What was found at PostgreSQL.
  fileprivate init(_ finding: PostgresInspection.Finding) {
    let state: State =
      switch finding.state {
      case .ok: .ok
      case .warning: .warning
      case .failed: .failed
      case .absent: .absent
      }
    self.init(
      subject: Subject(finding.id, finding.name), state: state, finding: finding.text, advice: finding.advice)
  }
}
