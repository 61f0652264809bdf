internal import AuthorizationPolicies
internal import Concurrency
package import Foundation
package import Logging
internal import Operations
internal import PrivateFiles
package import StrictJSON

/// The policies beside the journeys: `DIR/<realm>/*.authz.json`, in the folders that the journeys have.
///
/// A file that does not load stops the start. Later it leaves all policies as they were, because without it a denial could be missing.
package final class PolicyFolder: Sendable {
  private let directory: URL?
  private let logger: Logger
  private let byRealm: Locked<[String: RealmPolicies]>

  /// The suffix of policy files, which exports of policies and policy sets have.
  package static let suffix = ".authz.json"

  /// - Parameter directory: the operator's folder of journeys.
  /// - Throws: ``ServerSetupError`` with file, policy and property.
  package init(_ directory: URL?, logger: Logger) throws {
    self.directory = directory
    self.logger = logger
    byRealm = Locked(try directory.map { try Self.load($0) } ?? [:])
    logWarnings()
  }

  /// The realm's policies; none when it has no files.
  func policies(realm: String) -> RealmPolicies { byRealm.withLock { $0[realm] } ?? RealmPolicies() }

  /// The policies as the files have them, by realm and name.
  var documents: [String: [String: JSONObject]] { byRealm.withLock { $0.mapValues(\.documents) } }

  /// The policies as they would be if the realm's files were loaded now.
  func documentsOnDisk(realm: String) -> [String: [String: JSONObject]] {
    var documents = documents
    if let directory, let loaded = try? Self.load(directory, realm: realm) {
      documents[realm] = loaded[realm]?.documents
    }
    return documents
  }

  /// The policies of a realm's files, by name.
  ///
  /// - Throws: what is wrong, with file, policy and property.
  package static func documents(in files: [URL]) throws -> [String: JSONObject] {
    try policies(in: files).documents
  }

  /// Loads all policies again, or leaves all as they were when one does not load.
  ///
  /// - Parameter realm: the only realm whose policies are loaded; `nil` for all.
  package func reload(realm: String? = nil) {
    guard let directory else { return }
    do {
      let loaded = try Self.load(directory, realm: realm)
      byRealm.withLock { policies in
        if let realm { policies[realm] = loaded[realm] } else { policies = loaded }
      }
      logWarnings()
    } catch {
      logger.error("changed policies do not load, so that all policies stay as they were: \(error)")
    }
  }

  /// Forgets the policies of a realm that was deleted.
  func remove(realm: String) { byRealm.withLock { $0[realm] = nil } }

  private func logWarnings() {
    for warning in byRealm.withLock({ $0.values.flatMap(\.warnings) }) { logger.warning("\(warning)") }
  }

  private static func load(_ directory: URL, realm: String? = nil) throws -> [String: RealmPolicies] {
    var byRealm: [String: RealmPolicies] = [:]
    for folder in try JourneyFolder.contents(of: directory) where JourneyFolder.isDirectory(folder) {
      guard realm == nil || JourneyFolder.realm(of: folder) == realm else { continue }
      let files = try files(in: folder)
      guard !files.isEmpty else { continue }
      do { byRealm[JourneyFolder.realm(of: folder)] = try policies(in: files) } catch {
        throw ServerSetupError("These policies do not load: \(error)")
      }
    }
    return byRealm
  }

  /// The files of policies in a realm's folder, by name.
  package static func files(in folder: URL) throws -> [URL] {
    try JourneyFolder.contents(of: folder).filter { $0.lastPathComponent.hasSuffix(suffix) }
  }

  /// How many policies a realm's files have, and likely mistakes in them.
  ///
  /// - Throws: what is wrong, with file, policy and property.
  package static func check(_ files: [URL]) throws -> (count: Int, warnings: [String]) {
    let policies = try policies(in: files)
    return (policies.count, policies.warnings.map(\.description))
  }

  /// Reads a realm's files together.
  ///
  /// - Throws: `PolicyFileError`, or ``ServerSetupError`` for a file that cannot be read.
  private static func policies(in files: [URL]) throws -> RealmPolicies {
    try RealmPolicies(
      files.map { file in
        let place = file.path(percentEncoded: false)
        do { return (place, try JourneyFolder.bytes(of: file)) } catch {
          throw ServerSetupError("\(place) cannot be read: \(FileReason.of(error))")
        }
      })
  }
}
