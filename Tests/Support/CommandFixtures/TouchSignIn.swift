package import Foundation

/// `WebAuthnSignIn` for authenticators that verify nobody, which the bundled journey does not take.
package enum TouchSignIn {
  package static let name = "TouchSignIn"

  /// The bundled journey has another text than the one to replace.
  struct Changed: Error { let text: String }

  /// A folder of journeys with it, for `--journeys`.
  package static func folder(in parent: URL) throws -> URL {
    let folder = parent.appending(path: "journeys")
    let bundled = URL(filePath: #filePath)
      .appending(path: "../../../../journeys/WebAuthnSignIn.journey.json").standardizedFileURL
    var text = try String(contentsOf: bundled, encoding: .utf8)
    for (old, new) in [
      (#""_id": "WebAuthnSignIn""#, #""_id": "\#(name)""#),
      (#""userVerificationRequirement": "REQUIRED""#, #""userVerificationRequirement": "PREFERRED""#),
    ] {
      guard text.contains(old) else { throw Changed(text: old) }
      text = text.replacing(old, with: new)
    }
    let realm = folder.appending(path: "alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try text.write(
      to: realm.appending(path: "\(name).journey.json"), atomically: true, encoding: .utf8)
    return folder
  }
}
