internal import Foundation
internal import JourneyStore
internal import MailService

/// What a running server finds out about itself, for the administration's page: its machine, its configuration, and what it depends on.
struct RunningServerChecks: Sendable {
  let configuration: ServerConfiguration

  /// Weaknesses of the configuration, as the start says them.
  let advice: [String]
  let unavailable: [UnavailableJourney]
  let keys: any ServerKeyStore

  /// What the machine's files have their times from, whatever clock the server was given.
  var machineClock: @Sendable () -> Date = { Date() }

  /// From which age on a server key is called old. Seconds.
  private static let oldKey: TimeInterval = 400 * 86_400

  /// How many turns a checkpoint may be late.
  private static let lateTurns = 2.0

  private var folder: URL? { (try? StoreOpening.place(configuration))?.folder }

  /// Failures first, then warnings.
  func all() async throws -> [HealthCheck] {
    let machine = ServerChecks(
      place: try StoreOpening.place(configuration),
      journeys: configuration.journeysDirectory?.path, certificate: configuration.tls?.certificate.path,
      key: configuration.tls?.key.path, now: machineClock)
    var checks = advice.map {
      HealthCheck.Subject("configuration", "configuration")(
        .warning, $0, advice: "Change the setting and start the server again.")
    }
    checks += unavailable.map { journey in
      HealthCheck.Subject("journeys", "journeys")(
        .failed, "journey \(journey.name) of realm \(journey.realm) did not load: \(journey.reason)",
        advice:
          "Correct the file; `sealring journey check FILE` has more. The journey is not offered until then.")
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
    let check = HealthCheck.Subject("keyPlaces", "server key")
    do {
      return try ServerKeyPlaces.findings(configuration).map { finding in
        finding.problem.map {
          check(
            .failed, "\(finding.place): \($0)",
            advice:
              "The server runs on with the key that it has read, and does not start again until this is right."
          )
        } ?? check(.ok, "\(finding.place) can be read")
      }
    } catch {
      return [check(.failed, "\(error)", advice: "Check --server-key.")]
    }
  }

  private func keyAge() async throws -> HealthCheck {
    let check = HealthCheck.Subject("keyAge", "age of the server key")
    let entries = try await keys.keyRows("server_keys", ServerKeySQL.entries, []) { try ServerKeyEntry($0) }
    let active = entries.first { !$0.isRevoked && !$0.isRetired && $0.activatedAt != nil }
    var age = active?.activatedAt.map { configuration.clock().timeIntervalSince($0) }
    var source = ""
    // The first key of a database has no date there, its file has.
    if (active?.activatedAt?.timeIntervalSince1970 ?? 0) <= 0 {
      let file = folder?.appending(path: "server.key").path
      let attributes = file.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
      age = (attributes?[.modificationDate] as? Date).map { machineClock().timeIntervalSince($0) }
      source = ", by the date of its file"
    }
    guard let age else { return check(.absent, "when the key was made is not known") }
    let text = "\(max(0, Int(age / 86_400))) days\(source)"
    return age < Self.oldKey
      ? check(.ok, text)
      : check(.warning, text, advice: "Rotate it: sealring key rotate. Sign-ins go on meanwhile.")
  }

  private func mail() -> HealthCheck {
    let check = HealthCheck.Subject("mail", "mail")
    func to(_ folder: URL) -> HealthCheck {
      StartupAdvice.isPublic(configuration)
        ? check(
          .warning, "it goes into \(folder.path), and to nobody",
          advice:
            "Name a mail server (--mail smtp://HOST), unless another program sends what is in the folder.")
        : check(.ok, "it goes into \(folder.path), for another program or for you to read")
    }
    switch configuration.mail.delivery {
    case .folder:
      guard let folder else { return check(.absent, "everything is in memory: mail goes nowhere") }
      return to(folder.appending(path: "mail"))
    case .directory(let folder): return to(folder)
    case .smtp(let settings): return check(.ok, "by \(settings.host), port \(settings.port)")
    case .transport: return check(.ok, "by the program that this server is a part of")
    }
  }

  private func checkpoints() -> [HealthCheck] {
    let check = HealthCheck.Subject("checkpoints", "checkpoints of the ledger")
    let settings = configuration.checkpoints
    guard !settings.isEmpty else {
      return [
        check(
          .absent, "none are published",
          advice: "With checkpoints kept elsewhere, nobody can exchange the ledger unseen: docs/audit.md.")
      ]
    }
    // What was last published to the address is remembered beside the database.
    let files = [
      settings.file, settings.address.flatMap { _ in folder?.appending(path: "published-checkpoint.json") },
    ]
    return files.compactMap(\.self).map { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      guard let written = attributes?[.modificationDate] as? Date else {
        return check(
          .failed, "none has arrived yet (\(file.path))",
          advice: "The server's log says why; it tries again at every turn.")
      }
      let age = machineClock().timeIntervalSince(written)
      let text = "the last one arrived \(max(0, Int(age / 60))) minutes ago"
      return age <= settings.interval * Self.lateTurns
        ? check(.ok, text)
        : check(.failed, text, advice: "The server's log says why; it tries again at every turn.")
    }
  }
}
