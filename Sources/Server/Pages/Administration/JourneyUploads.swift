internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyStore
internal import PageTemplates
internal import PrivateFiles
internal import SecurityEvents
internal import ServerHTTP
internal import StrictJSON

/// Uploads of journeys by administrators. An upload is checked like a file, compared with the live journeys, and written into the folder of
/// journeys, if required only after a second administrator has agreed. The permissions are checked here for all callers.
struct JourneyUploads: Sendable {
  /// The operator's folder of journeys; `nil` when there is none, and then nothing can be uploaded.
  let folder: URL?

  /// Whether the scripts of all realms share variables or hosts.
  let sharesAmongRealms: Bool

  /// How many administrators must have seen an upload before it goes live.
  let reviewers: JourneyReview
  let realms: RealmDirectory
  let sessions: SessionAuthority
  let events: SecurityEvents

  /// The effect that an upload would have.
  struct Review: Sendable {
    /// The upload's own journeys.
    var names: [String]

    /// The differences in the realm. Other realms' files are none of its administrators' concern.
    var changes: [JourneyChange]

    /// Warnings about what loads and is likely a mistake.
    var warnings: [String]

    /// The digest of the changes and the upload, by which an administrator names what was reviewed.
    var base: String

    /// The name of the file in the realm's folder.
    var file: String
    fileprivate var export: String

    /// Whether scripts differ, which needs a second confirmation.
    var changesCode: Bool { changes.contains(where: \.changesCode) }
  }

  /// The result of an upload that was to go live.
  enum Outcome {
    case live

    /// A second administrator has to agree.
    case waiting
  }

  /// Why an upload cannot be taken.
  enum Problem: Error {
    case noFolder

    /// The server would not load the upload, for these reasons.
    case fault([String])

    /// The journey is in another file of the folder, beside others.
    case shared(journey: String, file: String)
    case unwritable(String)

    /// The upload differs from what was reviewed.
    case changed(Review)

    /// Scripts differ, and the administrator has not confirmed that they were read.
    case codeUnread(Review)

    /// The administrator who uploaded the journeys cannot be the second one.
    case samePerson

    /// The administrator who uploaded the journeys may not put them live any more.
    case authorLost

    /// Another administrator has taken it, or it was replaced.
    case gone

    func text(_ texts: Texts) -> String {
      switch self {
      case .noFolder: texts["admin.uploadNoFolder"]
      case .fault(let faults):
        texts["admin.uploadFaults", ["faults": faults.prefix(10).joined(separator: "; ")]]
      case .shared(let journey, let file):
        texts["admin.uploadShared", ["journey": journey, "file": file]]
      case .unwritable(let reason): texts["admin.uploadUnwritable", ["reason": reason]]
      case .changed: texts["admin.uploadChanged"]
      case .codeUnread: texts["admin.uploadScripts"]
      case .samePerson: texts["admin.uploadSamePerson"]
      case .authorLost: texts["admin.uploadAuthorLost"]
      case .gone: texts["admin.uploadGone"]
      }
    }
  }

  /// - Throws: 401 and 403 for sessions that may not put journeys of the realm live, or need a stronger sign-in first. While scripts of all
  ///   realms share variables or hosts, only administrators of the root realm may: another realm's script could read and reach what belongs
  ///   to others.
  private func require(_ session: AuthenticatedSession, of realm: String) async throws {
    // Journeys decide how everybody signs in, so they need the same proof as the administrator's own factors.
    try await sessions.accounts.requireProof(session.record, in: session.account.realm)
    try await sessions.require(.administrate, session, of: realm)
    guard isForRootAlone(session.account.realm) else { return }
    throw ErrorResponse.forbidden(
      "This server gives variables or hosts to the scripts of all realms, so only administrators of the root realm put journeys live here. "
        + "The operator can give each realm its own: --script-environment REALM=FILE, --script-host REALM=ORIGIN."
    )
  }

  /// Whether administrators of `accountRealm` may put no journey live, because scripts of all realms share variables or hosts.
  private func isForRootAlone(_ accountRealm: String) -> Bool {
    sharesAmongRealms && accountRealm.lowercased() != "root"
  }

  /// Whether the administrator who made the upload may put journeys live now. Two have to want a change at the moment when it is made.
  private func mayStillPutLive(_ upload: WaitingUpload, realm: String) async throws -> Bool {
    let accountRealm = upload.administrator.split(separator: "@").last.map(String.init) ?? ""
    guard !isForRootAlone(accountRealm) else { return false }
    return try await sessions.accounts.hasRole(
      .administrate, id: upload.accountID, accountRealm: accountRealm, of: realm)
  }

  // MARK: Looking

  /// Checks an export, and compares everything that it would change with what is served.
  func review(_ export: String, realm: String) throws -> Review {
    guard let folder else { throw Problem.noFolder }
    let bytes = Array(export.utf8)
    let (catalog, place) = (realms.catalog, JourneyFolder.folder(of: realm, in: folder))
    let references = JourneyFolder.references(beside: place.appending(path: "upload"))
    // A copy: what is served changes only when the file is loaded.
    var next = catalog
    let loaded = next.load(
      [JourneyCatalog.File(bytes, source: "upload", references: references)], realm: realm)[0]
    let faults = loaded.faults.map { "\($0)" }
    let names = loaded.loaded
    // A faulty journey does not stop the others, unless it would replace a live one.
    guard !names.isEmpty,
      !loaded.refused.contains(where: { catalog.document(journey: $0, realm: realm) != nil })
      // No page shows the effect of a file that has only node types.
    else { throw Problem.fault(faults.isEmpty ? ["the file has no journeys"] : faults) }
    let file = try Self.file(for: loaded.journeys, of: catalog, realm: realm, folder: place)
    let changes = try realms.preview(
      JourneyCatalog.File(bytes, source: place.appending(path: file).path, references: references),
      realm: realm)
    var digest = SHA256()
    for change in changes { digest.update(data: Array("\(change.identity)\n".utf8)) }
    digest.update(data: bytes)
    return Review(
      names: names, changes: changes,
      warnings: faults
        + next.warnings.filter { $0.realm == realm && names.contains($0.journey) }.map { "\($0)" },
      base: Base64URL.encode(Array(digest.finalize())), file: file, export: export)
  }

  /// The file that has these journeys and no others now; else a new one with the name of the first journey.
  private static func file(
    for names: [String], of catalog: JourneyCatalog, realm: String, folder: URL
  ) throws(Problem) -> String {
    let prefix = folder.path + "/"
    let own = catalog.summaries(realm: realm).filter { $0.source.hasPrefix(prefix) }
    var file: String?
    for journey in own where names.contains(journey.name) {
      let others = own.filter { $0.source == journey.source && !names.contains($0.name) }
      let place = String(journey.source.dropFirst(prefix.count))
      guard others.isEmpty, file == nil || file == place, !place.contains("/") else {
        throw .shared(journey: journey.name, file: place)
      }
      file = place
    }
    return file ?? fileName(for: names.first ?? "journey") + JourneyFolder.suffix
  }

  /// The uploads that wait for a second administrator.
  func waiting(realm: String) -> [WaitingUpload] {
    folder.map { WaitingUploads(in: $0).all(realm: realm) } ?? []
  }

  // MARK: Acting

  /// Puts an upload live, or lets it wait for a second administrator.
  ///
  /// - Parameters:
  ///   - base: the ``Review/base`` that the administrator was shown.
  ///   - readsCode: whether the administrator confirms that the scripts were read.
  func submit(
    _ export: String, base: String?, readsCode: Bool, by session: AuthenticatedSession, at now: Date,
    realm: String
  ) async throws -> Outcome {
    let review = try checked(export, base: base, readsCode: readsCode, realm: realm)
    try await require(session, of: realm)
    guard reviewers == .two, let folder else {
      try await putLive(review, by: session, realm: realm)
      return .live
    }
    let upload = WaitingUpload(
      file: review.file, export: export, base: review.base, administrator: session.actorName,
      accountID: session.record.accountID ?? "", time: now)
    try await record(.journeyProposed, review, by: session, [:])
    do { try WaitingUploads(in: folder).put(upload, realm: realm) } catch {
      throw Problem.unwritable(FileReason.of(error))
    }
    return .waiting
  }

  /// Agrees to an upload of another administrator, which puts it live.
  ///
  /// - Parameter base: the ``Review/base`` that this administrator was shown, which must be the same as for the other one.
  func agree(
    to file: String, base: String?, readsCode: Bool, by session: AuthenticatedSession, realm: String
  ) async throws {
    let upload = try waitingUpload(file, realm: realm)
    let review = try checked(upload.export, base: base, readsCode: readsCode, realm: realm)
    guard upload.base == review.base else { throw Problem.changed(review) }
    try await require(session, of: realm)
    guard !Self.isOwn(upload, session) else { throw Problem.samePerson }
    guard try await mayStillPutLive(upload, realm: realm) else { throw Problem.authorLost }
    guard let folder, WaitingUploads(in: folder).take(upload, realm: realm) else { throw Problem.gone }
    do {
      try await putLive(
        review, by: session, realm: realm,
        [
          "uploadedBy": .string(upload.administrator), "uploadedById": .string(upload.accountID),
          "uploaded": .integer(upload.time.millisecondsSince1970), "agreedBy": .string(session.actorName),
        ])
    } catch {
      try? WaitingUploads(in: folder).put(upload, realm: realm)
      throw error
    }
  }

  /// Removes a waiting upload, which another administrator does not agree to or its own one withdraws.
  func withdraw(_ file: String, by session: AuthenticatedSession, realm: String) async throws {
    let upload = try waitingUpload(file, realm: realm)
    try await require(session, of: realm)
    try await events.require(
      SecurityEvent(
        .journeyWithdrawn, realm: realm, actor: session.actorName,
        detail: ["file": .string(file), "uploadedBy": .string(upload.administrator)]))
    guard let folder, WaitingUploads(in: folder).take(upload, realm: realm) else { throw Problem.gone }
  }

  /// Whether the session's account made the upload. Its id or its name, in any case, is enough.
  static func isOwn(_ upload: WaitingUpload, _ session: AuthenticatedSession) -> Bool {
    upload.accountID == session.record.accountID
      || upload.administrator.lowercased() == session.actorName.lowercased()
  }

  private func waitingUpload(_ file: String, realm: String) throws(Problem) -> WaitingUpload {
    guard let upload = waiting(realm: realm).first(where: { $0.file == file }) else { throw .gone }
    return upload
  }

  private func checked(_ export: String, base: String?, readsCode: Bool, realm: String) throws -> Review {
    let review = try review(export, realm: realm)
    guard base == review.base else { throw Problem.changed(review) }
    guard readsCode || !review.changesCode else { throw Problem.codeUnread(review) }
    return review
  }

  private func record(
    _ kind: SecurityEvent.Kind, _ review: Review, by session: AuthenticatedSession, _ detail: JSONObject
  ) async throws {
    var detail = detail
    detail["file"] = .string(review.file)
    for change in review.changes {
      try await events.require(.journeyChanged(change, kind: kind, actor: session.actorName, detail))
    }
  }

  /// Writes the upload, whole or not at all, and loads the realm's journeys.
  private func putLive(
    _ review: Review, by session: AuthenticatedSession, realm: String, _ detail: JSONObject = [:]
  ) async throws {
    // The event comes before the change is live, so that every change can be found later.
    try await record(.journeyChanged, review, by: session, detail)
    guard let folder = folder.map({ JourneyFolder.folder(of: realm, in: $0) }) else { throw Problem.noFolder }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let draft = try PrivateFileDraft(of: folder.appending(path: review.file))
      try draft.append(Array(review.export.utf8))
      try draft.commit(replacing: true)
    } catch { throw Problem.unwritable(FileReason.of(error)) }
    let told = Set(review.changes.map(\.identity))
    // Files that changed in the folder since the review.
    for change in await realms.reloadNow(realm: realm) where !told.contains(change.identity) {
      await events.note(.journeyChanged(change))
    }
  }
}
