internal import Bytes
package import Concurrency
package import Foundation
package import JourneyEngine
internal import Operations
internal import PrivateFiles
internal import StrictJSON

/// The files in an operator's folder of journeys.
package enum JourneyFolder {
  /// How the names of journey files end.
  package static let suffix = ".journey.json"

  /// Longest journey file that is read; the reader's own limit.
  static let maximumFileBytes = 64 << 20

  /// Includes the suffix of exports of all journeys, as tools name them.
  private static let suffixes = [suffix, ".journeys.json"]

  package static func isJourneyFile(_ file: URL) -> Bool {
    suffixes.contains { file.lastPathComponent.hasSuffix($0) }
  }

  /// The suffix of files that have designed node types and no journey.
  package static let nodeTypesSuffix = ".nodeTypes.json"

  package static func isNodeTypesFile(_ file: URL) -> Bool {
    file.lastPathComponent.hasSuffix(nodeTypesSuffix)
  }

  /// The journey's name, which exports give to the file.
  static func name(of file: URL) -> String {
    let name = file.lastPathComponent
    return suffixes.first(where: name.hasSuffix).map { String(name.dropLast($0.count)) }
      ?? file.deletingPathExtension().lastPathComponent
  }

  /// The folder of a realm's journeys, within the operator's. The folder of `alpha/branch` is `alpha.branch`, beside that of `alpha`, in
  /// which all folders belong to exports. Realms' names have no dots, so no two realms have the same folder.
  package static func folder(of realm: String, in directory: URL) -> URL {
    directory.appending(path: realm.replacing("/", with: "."))
  }

  /// The realm that the folder belongs to, if there is such a realm.
  static func realm(of folder: URL) -> String { folder.lastPathComponent.replacing(".", with: "/") }

  /// What is in the folder, by name.
  ///
  /// - Throws: ``ServerSetupError`` when it cannot be read.
  package static func contents(of directory: URL) throws -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles]
      ).sorted { $0.lastPathComponent < $1.lastPathComponent }
    } catch {
      throw ServerSetupError(
        "The journeys in \(directory.path) cannot be read: \(FileReason.of(error)) Name a readable folder."
      )
    }
  }

  /// Follows symbolic links, which are common in mounted configuration.
  package static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Journey files of a realm's folder, and those that cannot be read.
  package struct Contents {
    package var files: [JourneyCatalog.File] = []
    package var unreadable: [(path: String, reason: String)] = []

    /// Files of node types, including those that cannot be read.
    var nodeTypesFiles: [String] = []

    /// All other files and folders, including those that journeys refer to.
    fileprivate var others: [URL] = []

    /// Files that journeys refer to, once they are loaded.
    fileprivate let referredTo = Locked<Set<String>>([])

    init(files: [JourneyCatalog.File] = []) { self.files = files }

    /// Names in the folder that nothing reads, once the files are loaded.
    var ignored: [String] {
      let read = referredTo.withLock(\.self)
      return others.filter { other in
        let path = other.absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path
        return !read.contains { $0 == path || $0.hasPrefix(path + "/") }
      }.map(\.lastPathComponent)
    }

    /// Replaces the file of the same source, or inserts the file in the order of names.
    mutating func put(_ file: JourneyCatalog.File) {
      unreadable.removeAll { $0.path == file.source }
      guard let place = files.firstIndex(where: { $0.source >= file.source }) else {
        return files.append(file)
      }
      if files[place].source == file.source { files.remove(at: place) }
      files.insert(file, at: place)
    }
  }

  /// The journeys of a realm's folder: its files `*.journey.json`, and folders in which each node has a file.
  ///
  /// - Throws: ``ServerSetupError`` when the folder cannot be read.
  package static func files(inRealm folder: URL) throws -> Contents {
    var found = Contents()
    let nodeFolders = NodeFileFolder.folders(inRealm: folder).map(\.lastPathComponent)
    let known = Set(nodeFolders.isEmpty ? [] : nodeFolders + ["journeys", "scripts"])
    for file in try contents(of: folder) {
      guard isJourneyFile(file) || isNodeTypesFile(file) else {
        let name = file.lastPathComponent
        if !known.contains(name), !name.hasSuffix(PolicyFolder.suffix), !name.hasSuffix(".md") {
          found.others.append(file)
        }
        continue
      }
      if isNodeTypesFile(file) { found.nodeTypesFiles.append(file.path) }
      do {
        found.files.append(
          JourneyCatalog.File(
            try bytes(of: file), source: file.path,
            references: references(beside: file, noting: found.referredTo)))
      } catch { found.unreadable.append((file.path, reason(error))) }
    }
    found.files += NodeFileFolder.journeys(inRealm: folder)
    return found
  }

  /// Why a file could not be read, as a sentence.
  static func reason(_ error: any Error) -> String {
    (error as? ServerSetupError)?.description ?? FileReason.of(error)
  }

  static func bytes(of file: URL) throws -> [UInt8] {
    if let size = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)[
      .size] as? Int,
      size > maximumFileBytes
    {
      throw ServerSetupError(
        "it has \(size) bytes, more than the \(maximumFileBytes) that a journey file may have; export the journeys one by one."
      )
    }
    guard let bytes = try bytes(of: file, limit: maximumFileBytes) else {
      throw ServerSetupError(
        "it is longer than \(maximumFileBytes) bytes; export the journeys one by one.")
    }
    return bytes
  }

  /// The content of the file; `nil` when it is longer than `limit`.
  static func bytes(of file: URL, limit: Int) throws -> [UInt8]? {
    do { return try file.bytes(atMost: limit) } catch is FileTooLong { return nil }
  }

  /// Reads what the journey file refers to by `file://`: files in its own folder and below, and nothing that leads out of there.
  ///
  /// - Parameter read: gets the paths of what was read.
  package static func references(
    beside file: URL, noting read: Locked<Set<String>>? = nil
  ) -> JourneyFileReferences {
    let folder = file.absoluteURL.deletingLastPathComponent().resolvingSymlinksInPath()
    return JourneyFileReferences { name throws(JourneyFileReferences.Refusal) in
      guard !name.isEmpty, !name.hasPrefix("/"), !name.contains("\0") else {
        throw .init("refers to the file \(name.quoted), which is not in the export's folder")
      }
      for name in [name, PercentEncoding.decode(name)].compactMap(\.self) {
        guard let bytes = try Self.file(named: name, in: folder, limit: JourneyFileReferences.maximumBytes)
        else {
          continue
        }
        let place = folder.appending(path: name).standardizedFileURL.resolvingSymlinksInPath()
        read?.withLock { _ = $0.insert(place.path) }
        return bytes
      }
      throw .init("refers to the file \(name.quoted), which is not beside the export; put it there")
    }
  }

  /// The content of a file in `folder` or below.
  ///
  /// - Parameter folder: without symbolic links. Links within it are followed; what leads out of it is refused.
  /// - Returns: `nil` when there is nothing of that name.
  static func file(
    named name: String, in folder: URL, limit: Int
  ) throws(JourneyFileReferences.Refusal) -> [UInt8]? {
    let found = folder.appending(path: name).standardizedFileURL.resolvingSymlinksInPath()
    guard found.path.hasPrefix(folder.path + "/"), !name.contains("\0") else {
      throw .init("refers to the file \(name.quoted), which is not in the export's folder")
    }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: found.path, isDirectory: &isDirectory) else { return nil }
    let type = try? FileManager.default.attributesOfItem(atPath: found.path)[.type] as? FileAttributeType
    guard type == .typeRegular else { throw .init("refers to \(name.quoted), which is not a file") }
    let bytes: [UInt8]?
    do { bytes = try Self.bytes(of: found, limit: limit) } catch {
      throw .init("the file \(name.quoted) cannot be read: \(FileReason.of(error))")
    }
    guard let bytes else { throw .init("the file \(name.quoted) is longer than \(limit) bytes") }
    return bytes
  }

  /// The paths, sizes and times of the folder's files, which show whether a file has changed. Their number is limited to what a folder of
  /// journeys sensibly has.
  package static func fingerprint(of directory: URL) -> [String] {
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
    var entries: [String] = []
    var folders = [directory]
    while let folder = folders.popLast(), entries.count < 20_000, folders.count < 20_000 {
      guard let files = try? contents(of: folder) else {
        entries.append("\(folder.path) cannot be read")
        continue
      }
      for file in files {
        if isDirectory(file) {
          // Realms, folders of scripts within them, and journeys in which each node has a file (REALM/journeys/NAME/nodes/PAGE).
          if file.pathComponents.count < directory.pathComponents.count + 6 { folders.append(file) }
          continue
        }
        let values = try? file.resolvingSymlinksInPath().resourceValues(forKeys: keys)
        entries.append(
          "\(file.path) \(values?.fileSize ?? -1) \(values?.contentModificationDate?.timeIntervalSince1970 ?? 0)"
        )
      }
    }
    return entries.sorted()
  }
}
