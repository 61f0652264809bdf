import Foundation
import JourneyEngine
import JourneyServer
import JourneyStore
import TerminalText

/// The checks of a server's side, without the server.
struct ServerChecks {
  let data: URL
  let journeys: String?
  let certificate: String?
  let key: String?

  /// Days before the end of a certificate from which on it is said.
  private static let warningDays: TimeInterval = 21

  func all() async -> [HealthCheck] {
    var checks = [HealthCheck.rights("data", "data folder", of: data.path, isFolder: true)]
    if checks[0].state == .ok || FileManager.default.fileExists(atPath: data.path) {
      checks.append(.rights("key", "key file", of: data.appending(path: "server.key").path, isFolder: false))
      checks.append(
        .rights(
          "databaseFile", "database file", of: data.appending(path: "sealring.sqlite").path, isFolder: false))
      checks.append(await database())
      checks.append(time())
    }
    checks += journeyFolder()
    checks.append(tls())
    return checks
  }

  private func database() async -> HealthCheck {
    do {
      let problems = try await StoreInspection.problems(in: data)
      guard let first = problems.first else {
        return HealthCheck("database", "database", .ok, "whole, and the key file belongs to it")
      }
      return HealthCheck(
        "database", "database", .failed,
        "\(problems.count == 1 ? "" : "\(problems.count) faults, the first: ")\(first)",
        advice: "Stop the server, keep the folder for an inquiry, and bring back a backup.")
    } catch {
      return HealthCheck(
        "database", "database", .failed, "\(error)",
        advice: "Check --data; bring back sealring.sqlite and server.key together from one backup.")
    }
  }

  /// A clock that went back lets codes and sessions live again.
  private func time() -> HealthCheck {
    let now = Date()
    let files = ["sealring.sqlite", "sealring.sqlite-wal", "events.jsonl"]
    let newest = files.compactMap {
      try? FileManager.default.attributesOfItem(atPath: data.appending(path: $0).path)[.modificationDate]
        as? Date
    }.max()
    guard let newest, newest.timeIntervalSince(now) > ServerProbe.exactness else {
      return HealthCheck("time", "time", .ok, Times.text(now))
    }
    return HealthCheck(
      "time", "time", .failed,
      "it is \(Times.text(now)), but the data were written \(TerminalText.duration(newest.timeIntervalSince(now))) later than that",
      advice:
        "Set the clock by the network before the server starts: with a clock that went back, what has expired counts again."
    )
  }

  private func journeyFolder() -> [HealthCheck] {
    guard let journeys else {
      return [
        HealthCheck("journeys", "journeys", .absent, "no folder of your own; the bundled ones are built in")
      ]
    }
    let manager = FileManager.default
    let folder = URL(filePath: journeys)
    guard let realms = try? manager.contentsOfDirectory(atPath: folder.path).sorted() else {
      return [
        HealthCheck(
          "journeys", "journeys", .failed, "\(folder.path) cannot be read",
          advice: "Check --journeys, and who may read it.")
      ]
    }
    var (names, checks): ([String], [HealthCheck]) = ([], [])
    for realm in realms {
      let inRealm = folder.appending(path: realm)
      if realm.hasSuffix(".journey.json") {
        checks.append(
          HealthCheck(
            "journeys", "journeys", .warning, "\(inRealm.path) is in no realm's folder",
            advice: "Move it to \(folder.path)/REALM/."))
      }
      for file in ((try? manager.contentsOfDirectory(atPath: inRealm.path)) ?? []).sorted()
      where file.hasSuffix(".journey.json") {
        let file = inRealm.appending(path: file)
        do {
          let bytes = [UInt8](try Data(contentsOf: file))
          names += try JourneyFileCheck.check(bytes, source: file.path).journeys.map { "\(realm)/\($0)" }
        } catch {
          checks.append(
            HealthCheck(
              "journeys", "journeys", .failed, "\(error)",
              advice:
                "Correct the file; `sealring journey check \(file.path)` has more. Its journeys are not offered meanwhile."
            ))
        }
      }
    }
    if checks.isEmpty {
      checks.append(
        HealthCheck(
          "journeys", "journeys", .ok,
          names.isEmpty ? "none in \(folder.path)" : names.joined(separator: ", ")))
    }
    return checks
  }

  private func tls() -> HealthCheck {
    guard let certificate, let key else {
      return HealthCheck(
        "tls", "TLS certificate", .absent,
        "none is given: a proxy before the server has it, or the server is for this machine only")
    }
    do {
      let validity = try TLSFiles(certificate: URL(filePath: certificate), key: URL(filePath: key)).validity()
      let left = validity.upperBound.timeIntervalSinceNow
      if validity.lowerBound > Date() {
        return HealthCheck(
          "tls", "TLS certificate", .failed,
          "\(certificate) is not valid before \(Times.text(validity.lowerBound))",
          advice: "Check this machine's clock, or use the certificate of before.")
      }
      if left < 0 {
        return HealthCheck(
          "tls", "TLS certificate", .failed,
          "\(certificate) has expired on \(Times.text(validity.upperBound))",
          advice: "Renew it; the server takes new files by itself.")
      }
      let end = "\(certificate) is valid until \(Times.text(validity.upperBound))"
      return left < Self.warningDays * 86400
        ? HealthCheck(
          "tls", "TLS certificate", .warning, "\(end), \(TerminalText.duration(left)) from now",
          advice: "Renew it; the server takes new files by itself.")
        : HealthCheck("tls", "TLS certificate", .ok, end)
    } catch {
      return HealthCheck(
        "tls", "TLS certificate", .failed, "\(error)",
        advice: "Give the certificate and key that the server starts with.")
    }
  }
}
