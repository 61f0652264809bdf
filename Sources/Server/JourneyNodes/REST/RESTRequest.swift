internal import Bytes
internal import JourneyEngine
internal import StrictJSON
internal import WebAddresses

/// What a ``RESTNode`` sends, before the values of a journey are in it.
struct RESTRequest: Sendable {
  /// A form of a body.
  private typealias Form = (mediaType: String, writing: RequestTemplate.Writing)

  let method: String
  private let address: RequestTemplate
  private let query: [(name: String, value: RequestTemplate)]
  private let headers: [(name: String, value: RequestTemplate)]
  private let credentials: (user: RequestTemplate, password: RequestTemplate)?
  private let body: RequestTemplate?
  private let bodyType: Form

  private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    let mode = try definition.string("requestMode", default: "GET").uppercased()
    guard Self.methods.contains(mode) else {
      throw definition.wrong("requestMode", "must be one of \(Self.methods.joined(separator: ", "))")
    }
    method = mode
    address = try Self.address(definition)
    query = try definition.templates("queryParamsMap")
    headers = try definition.templates("headersMap")
    bodyType = try Self.bodyType(definition)
    let text = try definition.text("payload", like: ["payload", "body"], except: ["bodyType"])
    body = try text.isEmpty ? nil : definition.template(text, "payload")
    let user = try definition.text("username", like: ["user"])
    let password = try definition.text("password", like: ["pass"])
    guard try definition.flag("basicAuthn", default: false) else {
      credentials = nil
      return
    }
    guard !user.isEmpty, !password.isEmpty else {
      throw definition.wrong(
        "basicAuthn", "needs user name and password; exports may come without the password")
    }
    credentials = (try definition.template(user, "username"), try definition.template(password, "password"))
  }

  /// The state variables that the request's templates name.
  var variables: [String] {
    let templates =
      [address] + query.map(\.value) + headers.map(\.value) + (body.map { [$0] } ?? [])
      + (credentials.map { [$0.user, $0.password] } ?? [])
    return Array(Set(templates.flatMap(\.variables))).sorted()
  }

  /// Reads the address, which must name its host without variables, so that no value of a journey chooses who is asked.
  private static func address(_ definition: NodeDefinition) throws(JourneyFileError) -> RequestTemplate {
    let text = try definition.string("restURL")
    let template = try definition.template(text, "restURL")
    var fixed = ""
    if case .text(let first)? = template.parts.first { fixed = first }
    let afterScheme = fixed.firstRange(of: "://").map { fixed[$0.upperBound...] } ?? ""
    guard WebOrigin(address: fixed) != nil, !text.contains("#"),
      template.variables.isEmpty || afterScheme.contains(where: { $0 == "/" || $0 == "?" })
    else {
      throw definition.wrong(
        "restURL", "must begin with http:// or https:// and a host without variables, and must not contain #")
    }
    return template
  }

  private static func bodyType(_ definition: NodeDefinition) throws(JourneyFileError) -> Form {
    let name = try definition.string("bodyType", default: "JSON").lowercased()
    let text: Form = ("text/plain; charset=utf-8", .plain)
    let forms: [(String, Form)] = [
      ("json", ("application/json", .json)), ("xml", ("application/xml", .xml)),
      ("form", ("application/x-www-form-urlencoded", .encoded)), ("text", text), ("plain", text),
      ("none", text),
    ]
    guard let form = forms.first(where: { name.contains($0.0) })?.1 else {
      throw definition.wrong("bodyType", "must be JSON, XML, FORM or TEXT")
    }
    return form
  }

  // MARK: Filling

  struct Filled: Sendable {
    var url: String
    var headers: [String: String]
    var body: [UInt8]?
  }

  /// The request, filled with the values of a journey's state.
  ///
  /// - Throws: `RequestTemplate.Problem` when a value is missing, or would lead to another place than the address names.
  func filled(from state: JourneyState) throws -> Filled {
    var url = try address.filled(from: state, .encoded, allowsEmpty: false)
    try Self.checkPath(of: url)
    if !query.isEmpty {
      let pairs = try query.map { ($0.name, try $0.value.filled(from: state, .plain)) }
      let joint = !url.contains("?") ? "?" : url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&"
      url += joint + PercentEncoding.form(pairs.map { ($0.0, $0.1) })
    }
    var fields: [String: String] = [:]
    for header in headers { fields[header.name] = try header.value.filled(from: state, .plain) }
    func has(_ name: String) -> Bool { fields.keys.contains { $0.lowercased() == name } }
    if let credentials {
      let user = try credentials.user.filled(from: state, .plain)
      // Bytes: a colon and a mark after it are one `Character`, and the other server cuts at the byte.
      guard !user.utf8.contains(UInt8(ascii: ":")) else {
        throw NodeError("the user name for basic authentication has a colon")
      }
      for name in fields.keys.filter({ $0.lowercased() == "authorization" }) { fields[name] = nil }
      let password = try credentials.password.filled(from: state, .plain)
      fields["Authorization"] = "Basic " + PaddedBase64.encode(Array("\(user):\(password)".utf8))
    }
    let bytes = try body.map { Array(try $0.filled(from: state, bodyType.writing).utf8) }
    if bytes != nil, !has("content-type") { fields["Content-Type"] = bodyType.mediaType }
    return Filled(url: url, headers: fields, body: bytes)
  }

  /// Throws when a value leads to another folder.
  private static func checkPath(of url: String) throws(NodeError) {
    let path = url.prefix { $0 != "?" }
    for segment in path.split(separator: "/", omittingEmptySubsequences: true) {
      let plain = segment.lowercased().replacing("%2e", with: ".")
      guard plain != ".", plain != ".." else {
        throw NodeError("the address leads to another folder (. or ..)")
      }
    }
  }
}

extension NodeDefinition {
  /// Reads a text with variables.
  func template(_ text: String, _ property: String) throws(JourneyFileError) -> RequestTemplate {
    do throws(NodeError) { return try RequestTemplate(text) } catch {
      throw wrong(property, error.description)
    }
  }

  /// An object of texts with variables.
  fileprivate func templates(
    _ property: String
  ) throws(JourneyFileError) -> [(name: String, value: RequestTemplate)] {
    noteReading(property, as: "texts by name", default: "{}")
    var all: [(name: String, value: RequestTemplate)] = []
    for (name, value) in try object(property) {
      guard let text = value.stringValue ?? value.scalarText else {
        throw wrong(property, "the value of \(name.quoted) must be a text")
      }
      all.append((name, try template(text, property)))
    }
    return all
  }

  /// The text of the first property whose name contains one of `parts`, in any case, because versions of the node differ in the name. Empty
  /// when there is none.
  ///
  /// - Parameter property: what documentation calls it.
  fileprivate func text(
    _ property: String, like parts: [String], except others: [String] = []
  ) throws(JourneyFileError) -> String {
    noteReading(property, as: "text", default: "\"\"")
    guard let name = propertyName(like: parts, except: others) else { return "" }
    guard let text = properties[name]?.stringValue else { throw wrong(name, "must be a text") }
    return text
  }

  func propertyName(like parts: [String], except others: [String] = []) -> String? {
    properties.names.first { name in
      !name.hasPrefix("_") && !others.contains(name) && properties[name]?.isNull == false
        && parts.contains { name.lowercased().contains($0) }
    }
  }
}
