internal import Bytes
package import Foundation
package import JourneyEngine
internal import PrivateFiles
internal import StrictJSON

/// The files in an operator's folder of journeys.
package enum JourneyFolder {
  /// How the names of journey files end.
  package static let suffix = ".journey.json"

  /// Longest journey file that is read.
  private static let maximumFileBytes = 16 << 20

  package static func isJourneyFile(_ file: URL) -> Bool { file.lastPathComponent.hasSuffix(suffix) }

  /// How the names of files end that have node types of the designer, and no journey.
  package static let nodeTypesSuffix = ".nodeTypes.json"

  package static func isNodeTypesFile(_ file: URL) -> Bool {
    file.lastPathComponent.hasSuffix(nodeTypesSuffix)
  }

  /// The journey's name, which exports give to the file.
  static func name(of file: URL) -> String { String(file.lastPathComponent.dropLast(suffix.count)) }

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

  static func bytes(of file: URL) throws -> [UInt8] {
    guard let bytes = try bytes(of: file, limit: maximumFileBytes) else {
      throw ServerSetupError("it is longer than \(maximumFileBytes) bytes")
    }
    return bytes
  }

  /// `nil` for a longer file.
  private static func bytes(of file: URL, limit: Int) throws -> [UInt8]? {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let data = try handle.read(upToCount: limit + 1) ?? Data()
    return data.count <= limit ? Array(data) : nil
  }

  /// Reads what the journey file refers to by `file://`: files in its own folder and below, and nothing that leads out of there.
  package static func references(beside file: URL) -> JourneyFileReferences {
    let folder = file.absoluteURL.deletingLastPathComponent().resolvingSymlinksInPath()
    return JourneyFileReferences { name throws(JourneyFileReferences.Refusal) in
      guard !name.isEmpty, !name.hasPrefix("/"), !name.contains("\0") else {
        throw .init("refers to the file \(name.quoted), which is not in the export's folder")
      }
      for name in [name, PercentEncoding.decode(name)].compactMap(\.self) {
        let found = folder.appending(path: name).standardizedFileURL.resolvingSymlinksInPath()
        guard found.path.hasPrefix(folder.path + "/"), !name.contains("\0") else {
          throw .init("refers to the file \(name.quoted), which is not in the export's folder")
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: found.path, isDirectory: &isDirectory) else { continue }
        let type = try? FileManager.default.attributesOfItem(atPath: found.path)[.type] as? FileAttributeType
        guard type == .typeRegular else { throw .init("refers to \(name.quoted), which is not a file") }
        let bytes: [UInt8]?
        do { bytes = try Self.bytes(of: found, limit: JourneyFileReferences.maximumBytes) } catch {
          throw .init("the file \(name.quoted) cannot be read: \(FileReason.of(error))")
        }
        guard let bytes else {
          throw .init("the file \(name.quoted) is longer than \(JourneyFileReferences.maximumBytes) bytes")
        }
        return bytes
      }
      throw .init("refers to the file \(name.quoted), which is not beside the export; put it there")
    }
  }

  /// What shows that a file of the folder has changed: places, sizes and times. At most as many as a folder of journeys sensibly has.
  static func fingerprint(of directory: URL) -> [String] {
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
    var entries: [String] = []
    var folders = [directory]
    while let folder = folders.popLast(), entries.count < 20_000, folders.count < 1_000 {
      guard let files = try? contents(of: folder) else {
        entries.append("\(folder.path) cannot be read")
        continue
      }
      for file in files {
        if isDirectory(file) {
          // Realms, and folders of scripts within them.
          if file.pathComponents.count < directory.pathComponents.count + 4 { folders.append(file) }
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
