internal import Bytes
package import Foundation
internal import PrivateFiles
internal import StrictJSON

/// An upload that waits for a second administrator.
package struct WaitingUpload: Sendable, Hashable {
  /// The file of the realm's folder that it goes into. A later upload into the same file takes its place.
  package var file: String
  package var export: String

  /// Identifies what its administrator was shown.
  package var base: String

  /// `name@realm` of the administrator, and the account's id.
  package var administrator: String
  package var accountID: String
  package var time: Date

  package init(
    file: String, export: String, base: String, administrator: String, accountID: String, time: Date
  ) {
    (self.file, self.export, self.base) = (file, export, base)
    (self.administrator, self.accountID) = (administrator, accountID)
    self.time = Date(millisecondsSince1970: time.millisecondsSince1970)
  }
}

/// Uploads that wait, in the hidden folder `.review` of the operator's folder of journeys: a restart loses none, and nothing of them is
/// loaded.
package struct WaitingUploads: Sendable {
  private let folder: URL

  /// - Parameter directory: the operator's folder of journeys.
  package init(in directory: URL) { folder = Self.folder(in: directory) }

  static func folder(in directory: URL) -> URL { directory.appending(path: ".review") }

  private func place(_ realm: String) -> URL { JourneyFolder.folder(of: realm, in: folder) }

  /// The realm's waiting uploads, by file.
  package func all(realm: String) -> [WaitingUpload] {
    ((try? JourneyFolder.contents(of: place(realm))) ?? []).compactMap(Self.read)
  }

  private static func read(_ file: URL) -> WaitingUpload? {
    guard let bytes = try? JourneyFolder.bytes(of: file),
      let json = try? JSONObject(
        parsing: bytes, limits: JSONLimits(maximumBytes: JourneyFolder.maximumFileBytes, maximumDepth: 4)),
      let export = json["export"]?.stringValue, let base = json["base"]?.stringValue,
      let administrator = json["administrator"]?.stringValue, let account = json["accountId"]?.stringValue,
      let time = json["time"]?.integerValue
    else { return nil }
    return WaitingUpload(
      file: file.lastPathComponent, export: export, base: base, administrator: administrator,
      accountID: account, time: Date(millisecondsSince1970: time))
  }

  /// Stores the upload, in place of an earlier one for the same file.
  package func put(_ upload: WaitingUpload, realm: String) throws {
    let json: JSONObject = [
      "administrator": .string(upload.administrator), "accountId": .string(upload.accountID),
      "time": .integer(upload.time.millisecondsSince1970), "base": .string(upload.base),
      "export": .string(upload.export),
    ]
    try FileManager.default.createDirectory(at: place(realm), withIntermediateDirectories: true)
    let draft = try PrivateFileDraft(of: place(realm).appending(path: upload.file))
    try draft.append(json.serialized)
    try draft.commit(replacing: true)
  }

  /// Removes the upload, for exactly one of several simultaneous callers.
  ///
  /// - Returns: whether this caller removed it, and it was still the same upload.
  package func take(_ upload: WaitingUpload, realm: String) -> Bool {
    let source = place(realm).appending(path: upload.file)
    let taken = place(realm).appending(path: ".\(upload.file).\(UUID().uuidString)")
    // Only one of several simultaneous callers succeeds in renaming a file.
    guard (try? FileManager.default.moveItem(at: source, to: taken)) != nil else { return false }
    defer { try? FileManager.default.removeItem(at: taken) }
    var found = Self.read(taken)
    found?.file = upload.file
    guard found == upload else {
      try? FileManager.default.moveItem(at: taken, to: source)
      return false
    }
    return true
  }
}

/// How many administrators must have seen a journey before an upload puts it live.
public enum JourneyReview: String, Sendable, Hashable, CaseIterable {
  /// The one who uploads it.
  case one

  /// Also another one, who has seen the same and agreed.
  case two
}
