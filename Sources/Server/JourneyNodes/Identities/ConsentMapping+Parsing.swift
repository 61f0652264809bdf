package import StrictJSON

extension ConsentMapping {
  /// Reads a list of `{"name", "displayName", "icon", "accessLevel", "isRequired", "fields"}`; all but the name may be missing.
  package static func parse(_ json: JSONReader) throws(JSONFault) -> [ConsentMapping] {
    var mappings: [ConsentMapping] = []
    for element in try json.elements("consents", atMost: 20) {
      let name = try element.member("name").text()
      guard name.utf8.count <= 128 else { throw element.wrong("name", "must have at most 128 bytes") }
      guard !mappings.contains(where: { $0.name == name }) else {
        throw element.wrong("name", "\(name.quoted) is there twice")
      }
      var mapping = ConsentMapping(
        name, displayName: try element["displayName"]?.text(), icon: try element["icon"]?.text() ?? "",
        accessLevel: try element["accessLevel"]?.text() ?? "")
      mapping.isRequired = try element["isRequired"]?.flag() ?? mapping.isRequired
      mapping.fields = try element["fields"]?.texts() ?? mapping.fields
      mappings.append(mapping)
    }
    return mappings
  }
}
