internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyEngine
internal import JourneyFiles
internal import JourneyGraphs
internal import PageTemplates
internal import PrivateFiles
internal import ServerHTTP
internal import StrictJSON

/// Journeys that administrators upload: checked as the server checks files, compared with what is live, and written into the folder of
/// journeys.
struct JourneyUploads: Sendable {
  /// The operator's folder of journeys; `nil` when there is none, and then nothing can be uploaded.
  let folder: URL?

  /// Whether journeys of one realm reach what is for the journeys of all.
  let sharesAmongRealms: Bool

  /// What would become of an upload.
  struct Review: Sendable {
    struct Journey: Sendable {
      var name: String
      var isNew: Bool
      var changes: [JourneyDifference.Change]
    }

    var journeys: [Journey]

    /// What loads and is likely a mistake.
    var warnings: [String]

    /// Stands for what is live now and for the upload: who puts it live says what was looked at.
    var base: String

    /// The name of the file in the realm's folder.
    var file: String
    fileprivate var bytes: [UInt8]
  }

  /// Why an upload cannot be taken.
  enum Problem: Error {
    case noFolder

    /// The server would not load it; what it would say.
    case fault([String])

    /// Another file of the folder has the journey, among others.
    case shared(journey: String, file: String)
    case unwritable(String)

    func text(_ texts: Texts) -> String {
      switch self {
      case .noFolder: texts["admin.uploadNoFolder"]
      case .fault(let faults):
        texts["admin.uploadFaults", ["faults": faults.prefix(10).joined(separator: "; ")]]
      case .shared(let journey, let file):
        texts["admin.uploadShared", ["journey": journey, "file": file]]
      case .unwritable(let reason): texts["admin.uploadUnwritable", ["reason": reason]]
      }
    }
  }

  /// - Throws: 403 for administrators of another realm than root, while scripts of all realms share variables or hosts: a script of theirs
  ///   would read and reach what belongs to others.
  func requireShare(of administrator: UniversalID) throws(ErrorResponse) {
    guard sharesAmongRealms, administrator.realm.lowercased() != "root" else { return }
    throw .forbidden(
      "This server gives variables or hosts to the scripts of all realms, so only administrators of the root realm put journeys live here. "
        + "The operator can give each realm its own: --script-environment REALM=FILE, --script-host REALM=ORIGIN."
    )
  }

  /// Checks an export.
  func review(_ bytes: [UInt8], realm: String, catalog: JourneyCatalog) throws(Problem) -> Review {
    guard let folder else { throw .noFolder }
    // A copy: what is served changes only when the file is loaded.
    var next = catalog
    let loaded = next.load([JourneyCatalog.File(bytes, source: "upload")], realm: realm)[0]
    let faults = loaded.faults.map { "\($0)" }
    let names = loaded.loaded
    // One bad journey does not stop the others, and takes none away that is live.
    guard !names.isEmpty,
      !loaded.refused.contains(where: { catalog.document(journey: $0, realm: realm) != nil })
      // What would become of node types alone, no page shows.
    else { throw .fault(faults.isEmpty ? ["the file has no journeys"] : faults) }
    let journeys = names.map { name in
      Self.compare(
        name, catalog.document(journey: name, realm: realm), next.document(journey: name, realm: realm))
    }
    var digest = SHA256()
    for name in names {
      digest.update(data: Array("\(name)\n".utf8))
      digest.update(data: catalog.document(journey: name, realm: realm)?.serialized ?? [])
    }
    digest.update(data: bytes)
    return Review(
      journeys: journeys,
      warnings: faults
        + next.warnings.filter { $0.realm == realm && names.contains($0.journey) }.map { "\($0)" },
      base: Base64URL.encode(Array(digest.finalize())),
      file: try Self.file(
        for: loaded.journeys, of: catalog, realm: realm, folder: JourneyFolder.folder(of: realm, in: folder)),
      bytes: bytes)
  }

  private static func compare(
    _ name: String, _ before: JSONObject?, _ after: JSONObject?
  ) -> Review.Journey {
    guard let after = after.flatMap({ JourneyGraph($0, name: name) }) else {
      return Review.Journey(name: name, isNew: before == nil, changes: [])
    }
    let old = before.flatMap { JourneyGraph($0, name: name) }
    return Review.Journey(
      name: name, isNew: old == nil, changes: old.map { JourneyDifference($0, after).changes } ?? [])
  }

  /// The file that has these journeys now, and no others; else a new one with the first one's name.
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

  /// Writes it: whole or not at all.
  func store(_ review: Review, realm: String) throws(Problem) {
    guard let folder = folder.map({ JourneyFolder.folder(of: realm, in: $0) }) else { throw .noFolder }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let draft = try PrivateFileDraft(of: folder.appending(path: review.file))
      try draft.append(review.bytes)
      try draft.commit(replacing: true)
    } catch { throw .unwritable(FileReason.of(error)) }
  }
}
