import ArgumentParser
import Assembly

/// The origins whose pages may use the server, as options of `sealring serve`.
struct CrossOriginOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: ArgumentHelp(
      """
      Origin whose pages may use journeys, REST and OpenID Connect from a browser (CORS), such as https://app.example.com; * is any. \
      REALM=… for one realm. Repeatable.
      """, valueName: "[REALM=]origin"))
  var corsOrigin: [String] = []

  @Flag(help: "Let the pages of those origins use the person's cookies. Not with the origin *.")
  var corsCredentials = false

  @Option(
    help: ArgumentHelp(
      "Methods that those pages may use, separated by commas.", valueName: "list"))
  var corsMethods = CrossOriginRules().methods.joined(separator: ",")

  @Option(
    help: ArgumentHelp(
      "Header that those pages may send, beside the server's own. Repeatable.", valueName: "name"))
  var corsHeader: [String] = []

  @Option(
    help: ArgumentHelp(
      "Header of answers that those pages may read, beside the server's own. Repeatable.", valueName: "name"))
  var corsExposedHeader: [String] = []

  @Option(help: "Seconds that browsers may remember what those pages may do.")
  var corsMaxAge = CrossOriginRules().maximumAge

  @Option(
    help: ArgumentHelp(
      "Address under which clients reach one realm, when it is not --public-url. Repeatable.",
      valueName: "REALM=url"))
  var realmURL: [String] = []

  func validate() throws {
    try (0...86400).require(corsMaxAge, for: "--cors-max-age", unit: " of seconds")
    _ = try realmURLs()
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    for text in corsOrigin {
      // Origins contain no equals sign.
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard let origin = parts.last else { throw ValidationError("--cors-origin is [REALM=]origin.") }
      let realm = parts.count == 2 ? parts[0] : CrossOriginRules.everyRealm
      configuration.crossOrigin.origins[realm, default: []].append(origin)
    }
    configuration.crossOrigin.allowsCredentials = corsCredentials
    configuration.crossOrigin.methods = corsMethods.split(separator: ",").map {
      String($0.filter { $0 != " " })
    }
    configuration.crossOrigin.headers = corsHeader
    configuration.crossOrigin.exposedHeaders = corsExposedHeader
    configuration.crossOrigin.maximumAge = corsMaxAge
    configuration.realmURLs = try realmURLs()
  }

  private func realmURLs() throws -> [String: String] {
    var addresses: [String: String] = [:]
    for text in realmURL {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, addresses.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw ValidationError("--realm-url is REALM=url, once for each realm.")
      }
    }
    return addresses
  }
}
