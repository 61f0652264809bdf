internal import StrictJSON

extension AttachmentReading {
  /// The designed node types under `nodeTypes`, by ``DesignedNodeType/serviceName``.
  ///
  /// One that cannot be read is there with its problem: only the nodes that use it fail.
  static func nodeTypes(
    of document: JSONObject, source: String, references: JourneyFileReferences?
  ) -> [String: DesignedNodeType] {
    guard let section = document["nodeTypes"]?.objectValue else { return [:] }
    var reading = AttachmentReading(journey: "", document: [:], references: nil)
    var types: [String: DesignedNodeType] = [:]
    for (name, value) in section {
      guard let object = value.objectValue else { continue }
      let type = DesignedNodeType(
        object, name: name, script: reading.script(of: object, source: source, references))
      types[type.serviceName] = types[type.serviceName] ?? type
    }
    return types
  }

  private mutating func script(
    of type: JSONObject, source: String, _ references: JourneyFileReferences?
  ) -> Result<(text: String, file: String), DesignedNodeType.Problem> {
    let value = type["script"]
    do throws(JourneyFileReferences.Refusal) {
      let text = try self.source(of: value, references)
      let scheme = "file://"
      let beside = value?.stringValue.flatMap {
        $0.hasPrefix(scheme) ? String($0.dropFirst(scheme.count)) : nil
      }
      return .success((text, beside ?? source))
    } catch {
      return .failure(DesignedNodeType.Problem(text: "its script \(error.reason) (\(source))"))
    }
  }
}
