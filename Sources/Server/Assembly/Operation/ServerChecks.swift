internal import Accounts
package import Foundation
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
internal import JourneyScripts
internal import JourneyStore
internal import JourneyStorePostgres
package import Operations
internal import ServerHTTP
internal import TerminalText

/// The checks of a server's machine: for `sealring doctor` without the server, and for the running server's page.
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

  /// How many days before a certificate's end the warning begins.
  private static let warningDays: TimeInterval = 21

  /// Free bytes below which a server soon stops working, and below which it is time to make room.
  private static let (fullBytes, scarceBytes) = (64 << 20, 1 << 30)

  /// The checks of the command: all of them, with a read of the whole database.
  package func ofCommand() async -> [HealthCheck] {
    var checks = files
    if case .directory(let data) = place, isThere { checks.append(await database(data)) }
    checks += await machine()
    checks += journeyFolder()
    checks.append(scripts())
    checks.append(tls())
    return checks
  }

  /// The checks of the running server: none that reads a whole database, or loads journeys that the server has loaded.
  func ofServer() async -> [HealthCheck] { files + (await machine()) + [scripts(), tls()] }

  private var isThere: Bool { place.folder.map { FileManager.default.fileExists(atPath: $0.path) } ?? false }

  /// Checks who may read the files that only the server should.
  private var files: [HealthCheck] {
    guard let data = place.folder else {
      return [
        HealthCheck.Subject("data")(.warning, text: "checks.inMemory")
      ]
    }
    var checks = [HealthCheck.rights(.init("data"), of: data.path, isFolder: true)]
    guard checks[0].state == .ok || isThere else { return checks }
    checks.append(.rights(.init("key"), of: data.appending(path: "server.key").path, isFolder: false))
    if case .directory = place {
      checks.append(
        .rights(
          .init("databaseFile"), of: data.appending(path: "sealring.sqlite").path, isFolder: false))
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
    let check = HealthCheck.Subject("space")
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: data.path)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
      return check(.warning, text: "checks.spaceUnknown", ["path": data.path])
    }
    let values = ["mebibytes": String(free >> 20), "path": data.path]
    guard free < Self.scarceBytes else { return check(.ok, text: "checks.space", values) }
    return check(free < Self.fullBytes ? .failed : .warning, text: "checks.spaceScarce", values)
  }

  private func database(_ data: URL) async -> HealthCheck {
    let check = HealthCheck.Subject("database")
    do {
      let problems = try await StoreInspection.problems(in: data)
      guard let first = problems.first else {
        let fingerprint = try StoreInspection.fingerprint(of: data)
        return check(.ok, text: "checks.intact", ["fingerprint": "\(fingerprint)"])
      }
      return problems.count == 1
        ? check(.failed, text: "checks.damaged", ["reason": first])
        : check(.failed, text: "checks.damagedOften", ["count": String(problems.count), "reason": first])
    } catch {
      return check(.failed, text: "checks.unreadable", ["reason": "\(error)"])
    }
  }

  /// With a clock that was set back, expired codes and sessions are valid again.
  private func time(_ data: URL) -> HealthCheck {
    let check = HealthCheck.Subject("time")
    let now = now()
    let files = ["sealring.sqlite", "sealring.sqlite-wal", "events.jsonl"]
    let newest = files.compactMap {
      try? FileManager.default.attributesOfItem(atPath: data.appending(path: $0).path)[.modificationDate]
        as? Date
    }.max()
    guard let newest, newest.timeIntervalSince(now) > HealthCheck.clockExactness else {
      return check(.ok, text: "checks.time", ["time": TerminalText.Times.text(now)])
    }
    return check(
      .failed, text: "checks.timeSetBack", ["time": TerminalText.Times.text(now)],
      spans: ["span": newest.timeIntervalSince(now)])
  }

  /// Checks what the settings of `sealring serve` require for changes of factors, for a command without a running server.
  ///
  /// - Parameter configuration: what the settings make of it, as far as others can reach it.
  package static func factorChanges(_ configuration: ServerConfiguration) -> [HealthCheck] {
    guard configuration.isReachableByOthers else { return [] }
    let check = HealthCheck.Subject("configuration")
    guard configuration.factorChanges.standard != nil else {
      return [check(.failed, text: "checks.factorChangesUnchosen")]
    }
    let advice = StartupAdvice(configuration: configuration, journeyNames: []).factorChanges
    return advice.map { [check(weakness: $0)] } ?? []
  }

  private func journeyFolder() -> [HealthCheck] {
    let check = HealthCheck.Subject("journeys")
    guard let journeys else {
      return [check(.absent, text: "checks.journeysBundled")]
    }
    let manager = FileManager.default
    let folder = URL(filePath: journeys)
    guard let realms = try? manager.contentsOfDirectory(atPath: folder.path).sorted() else {
      return [check(.failed, text: "checks.journeysUnreadable", ["path": folder.path])]
    }
    var (names, checks): ([String], [HealthCheck]) = ([], [])
    for realm in realms {
      let inRealm = folder.appending(path: realm)
      if realm.hasSuffix(".journey.json") {
        checks.append(
          check(
            .warning, text: "checks.journeyMisplaced", ["path": inRealm.path, "folder": folder.path]))
      }
      guard JourneyFolder.isDirectory(inRealm), let found = try? JourneyFolder.files(inRealm: inRealm) else {
        continue
      }
      let files =
        found.files + found.unreadable.map { JourneyCatalog.File(source: $0.path, unreadable: $0.reason) }
      for file in (try? JourneyFileCheck.examine(files, realm: realm).files) ?? [] {
        names += file.loaded.map { "\(realm)/\($0)" }
        checks += file.faults.map {
          check(.failed, text: "checks.journeyWrong", ["reason": "\($0)", "path": file.source])
        }
      }
    }
    if checks.isEmpty {
      checks.append(
        names.isEmpty
          ? check(.ok, text: "checks.journeysNone", ["path": folder.path])
          : check(.ok, text: "checks.journeysFound", ["names": names.joined(separator: ", ")]))
    }
    return checks
  }

  /// Only journeys with scripts need the engine.
  private func scripts() -> HealthCheck {
    let check = HealthCheck.Subject("scripts")
    return ScriptWorkers.missingPackage.map {
      check(.absent, text: "checks.scriptsMissing", ["package": $0])
    } ?? check(.ok, text: "checks.scriptsReady")
  }

  private func tls() -> HealthCheck {
    let check = HealthCheck.Subject("tls")
    guard let certificate, let key else {
      return check(.absent, text: "checks.tlsNone")
    }
    do {
      let validity = try TLSFiles(certificate: URL(filePath: certificate), key: URL(filePath: key)).validity()
      let left = validity.upperBound.timeIntervalSince(now())
      if validity.lowerBound > now() {
        return check(
          .failed, text: "checks.tlsEarly",
          ["path": certificate, "time": TerminalText.Times.text(validity.lowerBound)])
      }
      let values = ["path": certificate, "time": TerminalText.Times.text(validity.upperBound)]
      if left < 0 { return check(.failed, text: "checks.tlsExpired", values) }
      return left < Self.warningDays * 86400
        ? check(.warning, text: "checks.tlsEndsSoon", values, spans: ["span": left])
        : check(.ok, text: "checks.tlsValid", values)
    } catch {
      return check(.failed, text: "checks.tlsUnusable", ["reason": "\(error)"])
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
    self = Subject(finding.id)(state, text: finding.text, finding.values)
  }
}
