internal import Bytes
package import Foundation
internal import PrivateFiles
internal import TOML

/// Finds and reads the settings files, and changes the user's file.
package struct SettingsFiles: Sendable {
  /// The machine's `config.toml`, for all its users; `nil` when the user's file was named.
  package let machine: URL?
  /// The user's file, or the one in `--config` or `SEALRING_CONFIG`.
  package let user: URL
  /// Whether the file was named explicitly, and so must exist.
  private let isNamed: Bool

  /// - Parameter named: The file in `--config`.
  package init(
    named: String?, environment: [String: String], machine: URL = URL(filePath: "/etc/sealring/config.toml")
  ) {
    let variable = environment["SEALRING_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    if let path = named ?? variable {
      self.machine = nil
      // A named file may be a link; files in the default places must not be links.
      user = URL(filePath: path).resolvingSymlinksInPath()
      isNamed = true
      return
    }
    self.machine = machine
    let folder =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
      ?? URL(filePath: ClientHome.userFolder(environment)).appending(path: ".config")
    user = folder.appending(path: "sealring/config.toml")
    isNamed = false
  }

  /// Loads the existing files, the machine's first.
  package func load(_ definitions: [SettingDefinition]) throws(SettingsError) -> [SettingsFile] {
    var files: [SettingsFile] = []
    if let machine, let file = try Self.read(machine, definitions) { files.append(file) }
    if let file = try Self.read(user, definitions) {
      files.append(file)
    } else if isNamed {
      throw SettingsError(
        "There is no settings file \(user.path). Check --config and SEALRING_CONFIG.", isMissing: true)
    }
    return files
  }

  /// Changes the user's file, which is created if missing. The change is complete and on disk on return.
  ///
  /// - Parameter change: Changes the file; if it throws, the file stays unchanged.
  package func change(
    _ definitions: [SettingDefinition], _ change: (inout SettingsFile) throws(SettingsError) -> Void
  ) throws(SettingsError) {
    let present = try Self.read(user, definitions)
    var file: SettingsFile
    if let present {
      file = present
    } else {
      file = try SettingsFile(parsing: [], path: user.path, definitions: definitions)
    }
    try change(&file)
    let bytes = Array(file.document.text.utf8)
    // The text is parsed again, so that no invalid file is written.
    _ = try SettingsFile(parsing: bytes, path: user.path, definitions: definitions)
    do throws(FileStorageError) {
      let folder = user.deletingLastPathComponent()
      // An existing folder keeps its permissions: it may be any folder.
      if try !ProtectedFiles.folderExists(folder) { try ProtectedFiles.createFolder(folder) }
      try ProtectedFiles.replace(user, with: bytes)
    } catch {
      throw SettingsError("\(user.path) could not be written: \(error.errorMessage)")
    }
  }

  private static func read(_ file: URL, _ definitions: [SettingDefinition]) throws(SettingsError)
    -> SettingsFile?
  {
    let bytes: [UInt8]?
    do { bytes = try ProtectedFiles.read(file, limit: TOMLDocument.maximumBytes) } catch {
      throw SettingsError("The settings cannot be read: \(error.errorMessage)")
    }
    guard let bytes else { return nil }
    // Others must not be able to change the file, because it decides where passwords are sent.
    var status = stat()
    guard lstat(file.path, &status) == 0, status.st_mode & 0o022 == 0, [0, geteuid()].contains(status.st_uid)
    else {
      throw SettingsError(
        "\(file.path) is not used: other users can change it. Fix that: chown it to you, and chmod go-w \(file.path)"
      )
    }
    return try SettingsFile(parsing: bytes, path: file.path, definitions: definitions)
  }
}

extension SettingsFile {
  /// Sets a value by its name, such as `server`, `serve.port` or `profiles.bank.user`.
  ///
  /// - Throws: ``SettingsError`` for an unknown name or an invalid value.
  package mutating func set(
    _ name: String, to texts: [String], _ definitions: [SettingDefinition]
  ) throws(SettingsError) {
    let path = try Self.path(name, definitions)
    guard let definition = Self.definition(path, in: definitions) else { return }
    for text in texts { try Self.refuseSecret(in: text, of: name, place: "The settings stay as they are") }
    let value = try definition.value(texts)
    do throws(TOMLError) { try document.set(path, to: value) } catch { throw SettingsError(error, self.path) }
  }

  /// Removes a value; returns `false` when the file does not set it.
  package mutating func unset(_ name: String, _ definitions: [SettingDefinition]) throws(SettingsError)
    -> Bool
  {
    let path = try Self.path(name, definitions)
    do throws(TOMLError) { return try document.remove(path) } catch { throw SettingsError(error, self.path) }
  }

  /// Removes a profile; returns `false` when the file does not have it.
  package mutating func removeProfile(_ name: String) throws(SettingsError) -> Bool {
    do throws(TOMLError) { return try document.removeTable(["profiles", name]) } catch {
      throw SettingsError(error, path)
    }
  }

  /// The value that this file sets; `nil` when it sets none.
  package func texts(_ name: String) -> [String]? {
    document.value(name.split(separator: ".").map(String.init))?.texts
  }

  private static func path(_ name: String, _ definitions: [SettingDefinition]) throws(SettingsError)
    -> [String]
  {
    let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if definition(path, in: definitions) != nil {
      if path.count == 3 { try checkProfile(name: path[1]) }
      return path
    }
    try refuseSecret(named: name, place: "The settings stay as they are")
    let names =
      definitions.map(\.name)
      + (path.count == 3 ? definitions.filter(\.isInProfiles).map { "profiles.\(path[1]).\($0.name)" } : [])
    throw SettingsError(
      "There is no setting '\(name.onOneLine)'.\(NearName.hint(name, in: names) ?? " 'sealring config show' lists them.")",
      isMissing: true)
  }

  /// - Throws: ``SettingsError`` for an invalid profile name.
  package static func checkProfile(name: String) throws(SettingsError) {
    let isFit =
      (1...64).contains(name.count)
      && name.unicodeScalars.allSatisfy {
        $0 == "-" || $0 == "_" || $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
      }
    guard isFit else {
      throw SettingsError(
        "'\(name.onOneLine)' is not a valid profile name: letters without accents, digits, - and _, at most 64."
      )
    }
  }
}

extension SettingDefinition {
  fileprivate func value(_ texts: [String]) throws(SettingsError) -> TOMLValue {
    if kind == .list { return .texts(texts) }
    guard let text = texts.first, texts.count == 1 else { throw SettingsError("'\(name)' takes one value.") }
    switch kind {
    case .text, .list: return .text(text)
    case .number:
      guard let number = Int64(text) else {
        throw SettingsError("'\(name)' needs a whole number, not '\(text.onOneLine)'.")
      }
      return .integer(number)
    case .flag:
      guard let isOn = Bool(text) else {
        throw SettingsError("'\(name)' needs true or false, not '\(text.onOneLine)'.")
      }
      return .flag(isOn)
    }
  }
}
