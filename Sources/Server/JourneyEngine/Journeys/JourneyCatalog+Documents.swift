internal import Bytes
public import StrictJSON

extension JourneyCatalog {
  /// The journey as its file had it, with scripts from separate files put into it, as in PingAM's interface, because a copy has no files
  /// beside it. `nil` when there is none.
  public func portableDocument(journey: String, realm: String) -> JSONObject? {
    guard let document = document(journey: journey, realm: realm) else { return nil }
    return document.withScripts(of: attachments(journey: journey, realm: realm) ?? JourneyAttachments())
      .withNodeTypes(nodeTypes(journey: journey, realm: realm))
  }
}

extension JSONObject {
  /// The document of a journey with the text of its scripts in it.
  public func withScripts(of attachments: JourneyAttachments) -> JSONObject {
    guard var scripts = self["scripts"]?.objectValue else { return self }
    for (id, value) in scripts {
      guard var script = value.objectValue, script["script"]?.stringValue?.hasPrefix("file://") == true,
        let source = attachments.scripts[id]?.source
      else { continue }
      script["script"] = .string(PaddedBase64.encode(Array(source.utf8)))
      scripts[id] = .object(script)
    }
    var document = self
    document["scripts"] = .object(scripts)
    return document
  }
}
