import Foundation
import JourneyScripts
import JourneyServer
import JourneyStore
import JourneyStorePostgres

/// The checks of a server's side, without the server.
struct ServerChecks {
  let place: ServerPlace
  let journeys: String?
  let certificate: String?
  let key: String?

  /// Days before the end of a certificate from which on it is said.
  private static let warningDays: TimeInterval = 21

  private var data: URL { place.directory }

  func all() async -> [HealthCheck] {
    var checks = [HealthCheck.rights("data", "data folder", of: data.path, isFolder: true)]
    if checks[0].state == .ok || FileManager.default.fileExists(atPath: data.path) {
      checks.append(.rights("key", "key file", of: data.appending(path: "server.key").path, isFolder: false))
      if place.address == nil {
        checks.append(
          .rights(
            "databaseFile", "database file", of: data.appending(path: "sealring.sqlite").path, isFolder: false
          ))
        checks.append(await database())
      }
      checks.append(time())
    }
    if let address = place.address {
      checks += await PostgresInspection.findings(address, directory: data).map(HealthCheck.init)
    }
    checks += journeyFolder()
    checks.append(scripts())
    checks.append(tls())
    return checks
  }

  private func database() async -> HealthCheck {
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
  private func time() -> HealthCheck {
    let check = HealthCheck.Subject("time", "time")
    let now = Date()
    let files = ["sealring.sqlite", "sealring.sqlite-wal", "events.jsonl"]
    let newest = files.compactMap {
      try? FileManager.default.attributesOfItem(atPath: data.appending(path: $0).path)[.modificationDate]
        as? Date
    }.max()
    guard let newest, newest.timeIntervalSince(now) > ServerProbe.exactness else {
      return check(.ok, Times.text(now))
    }
    return check(
      .failed,
      "it is \(Times.text(now)), but the data were written \(TerminalText.duration(newest.timeIntervalSince(now))) later than that",
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
      let left = validity.upperBound.timeIntervalSinceNow
      if validity.lowerBound > Date() {
        return check(
          .failed,
          "\(certificate) is not valid before \(Times.text(validity.lowerBound))",
          advice: "Check this machine's clock, or use the previous certificate.")
      }
      if left < 0 {
        return check(
          .failed,
          "\(certificate) expired on \(Times.text(validity.upperBound))",
          advice: "Renew it; the server takes new files by itself.")
      }
      let end = "\(certificate) is valid until \(Times.text(validity.upperBound))"
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
