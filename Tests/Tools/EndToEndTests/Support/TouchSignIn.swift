import Foundation
import Testing

/// `WebAuthnSignIn` for authenticators that verify nobody, which the bundled journey does not take.
enum TouchSignIn {
  static let name = "TouchSignIn"

  /// A folder of journeys with it, for `--journeys`.
  static func folder(in parent: URL) throws -> URL {
    let folder = parent.appending(path: "journeys")
    let bundled = URL(filePath: #filePath)
      .appending(path: "../../../../../journeys/WebAuthnSignIn.journey.json").standardizedFileURL
    var text = try String(contentsOf: bundled, encoding: .utf8)
    for (old, new) in [
      (#""_id": "WebAuthnSignIn""#, #""_id": "\#(name)""#),
      (#""userVerificationRequirement": "REQUIRED""#, #""userVerificationRequirement": "PREFERRED""#),
    ] {
      try #require(text.contains(old))
      text = text.replacing(old, with: new)
    }
    let realm = folder.appending(path: "alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try text.write(
      to: realm.appending(path: "\(name).journey.json"), atomically: true, encoding: .utf8)
    return folder
  }
}
