internal import Foundation
internal import JourneyFiles
internal import JourneyStore
internal import MailService
internal import Operations
internal import ServerHTTP

/// The checks of a running server for the administration's page: its machine, its configuration, and what it depends on.
struct RunningServerChecks: Sendable {
  let configuration: ServerConfiguration

  /// Weaknesses of the configuration, as the start says them.
  let advice: [Phrase]
  let unavailable: [UnavailableJourney]
  let keys: any ServerStore

  /// The clock of the machine's files, whatever clock the server was given.
  var machineClock: @Sendable () -> Date = { Date() }

  /// The age from which a server key counts as old. Seconds.
  private static let oldKey: TimeInterval = 400 * 86_400

  /// How many turns a checkpoint may be late.
  private static let lateTurns = 2.0

  private var folder: URL? { (try? StoreOpening.place(configuration))?.folder }

  /// The findings, failures first, then warnings.
  func all() async throws -> [HealthCheck] {
    let machine = ServerChecks(
      place: try StoreOpening.place(configuration),
      journeys: configuration.journeysDirectory?.path, certificate: configuration.tls?.certificate.path,
      key: configuration.tls?.key.path, now: machineClock)
    var checks = advice.map { HealthCheck.Subject("configuration")(weakness: $0) }
    checks += unavailable.map { journey in
      HealthCheck.Subject("journeys")(
        .failed, text: "checks.journeyNotLoaded",
        ["name": journey.name, "realm": journey.realm, "reason": "\(journey.reason)"])
    }
    checks += await machine.ofServer()
    checks += keyPlaces()
    checks.append(try await keyAge())
    checks.append(mail())
    checks += checkpoints()
    let order: [HealthCheck.State] = [.failed, .warning, .ok, .absent]
    return order.flatMap { state in checks.filter { $0.state == state } }
  }

  private func keyPlaces() -> [HealthCheck] {
    let check = HealthCheck.Subject("keyPlaces")
    do {
      return try ServerKeyPlaces.findings(configuration).map { finding in
        if let problem = finding.problem {
          check(.failed, text: "checks.keyUnusable", ["place": finding.place, "reason": problem])
        } else if finding.ids.isEmpty {
          check(.failed, text: "checks.keyMissing", ["place": finding.place])
        } else {
          check(.ok, text: "checks.keyReadable", ["place": finding.place])
        }
      }
    } catch {
      return [check(.failed, text: "checks.keyPlaceWrong", ["reason": "\(error)"])]
    }
  }

  private func keyAge() async throws -> HealthCheck {
    let check = HealthCheck.Subject("keyAge")
    let entries = try await keys.read(ServerKeySQL.entries)
    let active = entries.first { !$0.isRevoked && !$0.isRetired && $0.activatedAt != nil }
    var age = active?.activatedAt.map { configuration.clock().timeIntervalSince($0) }
    // The database has no date for its first key, but the key's file has.
    let isByFile = (active?.activatedAt?.timeIntervalSince1970 ?? 0) <= 0
    if isByFile {
      let file = folder?.appending(path: "server.key").path
      let attributes = file.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
      age = (attributes?[.modificationDate] as? Date).map { machineClock().timeIntervalSince($0) }
    }
    guard let age else { return check(.absent, text: "checks.keyAgeUnknown") }
    let days = ["days": String(max(0, Int(age / 86_400)))]
    return age < Self.oldKey
      ? check(.ok, text: isByFile ? "checks.keyFileAge" : "checks.keyAge", days)
      : check(.warning, text: isByFile ? "checks.keyFileAgeOld" : "checks.keyAgeOld", days)
  }

  private func mail() -> HealthCheck {
    let check = HealthCheck.Subject("mail")
    func to(_ folder: URL) -> HealthCheck {
      StartupAdvice.isPublic(configuration)
        ? check(.warning, text: "checks.mailToNobody", ["path": folder.path])
        : check(.ok, text: "checks.mailToFolder", ["path": folder.path])
    }
    switch configuration.mail.delivery {
    case .folder:
      guard let folder else { return check(.absent, text: "checks.mailNowhere") }
      return to(folder.appending(path: "mail"))
    case .directory(let folder): return to(folder)
    case .smtp(let settings):
      return check(
        .ok, text: "checks.mailBySMTP", ["host": settings.host, "port": String(settings.port)])
    case .transport: return check(.ok, text: "checks.mailByProgram")
    }
  }

  private func checkpoints() -> [HealthCheck] {
    let check = HealthCheck.Subject("checkpoints")
    let settings = configuration.checkpoints
    guard !settings.isEmpty else {
      return [check(.absent, text: "checks.checkpointsOff")]
    }
    // What was last published to the address is remembered beside the database.
    let files = [
      settings.file, settings.address.flatMap { _ in folder?.appending(path: "published-checkpoint.json") },
    ]
    return files.compactMap(\.self).map { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      guard let written = attributes?[.modificationDate] as? Date else {
        return check(.failed, text: "checks.checkpointsMissing", ["path": file.path])
      }
      let age = machineClock().timeIntervalSince(written)
      let minutes = ["minutes": String(max(0, Int(age / 60)))]
      return age <= settings.interval * Self.lateTurns
        ? check(.ok, text: "checks.checkpointsArrive", minutes)
        : check(.failed, text: "checks.checkpointsLate", minutes)
    }
  }
}
