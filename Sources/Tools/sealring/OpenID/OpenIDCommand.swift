import ArgumentParser
import Bytes
import Crypto
import Foundation
import OpenIDProvider
import PrivateFiles
import ServerCommand
import StrictJSON

/// `sealring oidc`: the file of OpenID Connect clients, and clients that get tokens.
///
/// It edits the file, and does not use REST like `sealring app`: which clients may sign users in, and where they redirect, is reviewed
/// configuration, and a stolen administrator's session must not add a client.
struct OpenIDCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "oidc",
    abstract:
      "Manage the OpenID Connect clients in a server's client file, and get tokens as an application or a device.",
    subcommands: [Client.self, Tokens.self, Device.self])

  struct Client: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add, list, remove or check clients. A running server reads the file again by itself.",
      discussion: """
        The file is the one that `sealring serve --oidc-clients FILE` names. What these commands do not set can be edited \
        in the file (docs/openid-connect.md).
        """, subcommands: [Add.self, List.self, Remove.self, Check.self])
  }

  struct FileOption: ParsableArguments {
    @Option(help: "The file of clients.")
    var file: String

    var url: URL { URL(filePath: file) }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a client; the file is created when it is not there. A secret is shown only once.")

    @OptionGroup var place: FileOption

    @Argument(help: "The client's id.")
    var id: String

    @Option(help: "Name shown to people who are asked for consent. Default: the id.")
    var name: String?

    @Option(help: "Realm.")
    var realm = "alpha"

    @Option(help: "Address that people are sent back to, compared exactly. Repeatable.")
    var redirect: [String] = []

    @Option(help: "Address that people may be sent to after signing out. Repeatable.")
    var postLogout: [String] = []

    @Option(help: "Address that is told when sessions end.")
    var backchannelLogout: String?

    @Option(help: "Scopes, separated by spaces.")
    var scope = "openid"

    @Flag(help: "A public client, such as an app or a single-page app: it has no secret and must use PKCE.")
    var `public` = false

    @Option(
      help: "File with the client's public keys (JWKS), for clients that authenticate with private_key_jwt.")
    var jwks: String?

    @Flag(
      help: "For an older client: take its secret in the form (client_secret_post) instead of the header.")
    var clientSecretPost = false

    @Flag(help: "For an older client: sign its ID tokens with RS256 instead of ES256.")
    var rs256 = false

    @Flag(help: "Issue only tokens bound to a key (DPoP).")
    var dpop = false

    @Flag(help: "Accept only pushed authorization requests.")
    var par = false

    @Flag(help: "Let the client ask people by push (CIBA).")
    var ciba = false

    @Flag(help: "Let the client ask by a code that people type in elsewhere (device grant).")
    var device = false

    @Flag(help: "Let the client get tokens for itself, without a person.")
    var clientCredentials = false

    @Flag(help: "Do not ask people for consent: for your own applications.")
    var noConsent = false

    @Flag(help: "Issue opaque access tokens instead of JWTs.")
    var opaque = false

    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard !`public` || jwks == nil else { throw ValidationError("A public client has no keys.") }
      guard !clientSecretPost || !`public` && jwks == nil else {
        throw ValidationError("A client that is public or has keys sends no secret in the form.")
      }
      guard !`public` || !clientCredentials else {
        throw ValidationError("A public client has no credentials to get tokens by.")
      }
      guard !redirect.isEmpty || ciba || device || clientCredentials else {
        throw ValidationError("Give at least one --redirect.")
      }
    }

    func run() async throws {
      var client: JSONObject = [
        "client_id": .string(id), "realm": .string(realm), "client_name": .string(name ?? id),
        "scope": .string(scope),
      ]
      var secret: String?
      if `public` {
        client["token_endpoint_auth_method"] = "none"
      } else if let jwks {
        client["token_endpoint_auth_method"] = "private_key_jwt"
        client["jwks"] = .object(try ClientsFile.read(URL(filePath: jwks), orEmpty: false))
      } else {
        let text = Base64URL.encode(SystemRandom.bytes(32))
        client["token_endpoint_auth_method"] = clientSecretPost ? "client_secret_post" : "client_secret_basic"
        client["client_secret_sha256"] = .string(Base64URL.encode(SHA256.hash(data: Array(text.utf8))))
        secret = text
      }
      func list(_ texts: [String]) -> JSONValue? { texts.isEmpty ? nil : .array(texts.map(JSONValue.string)) }
      client["redirect_uris"] = list(redirect)
      client["post_logout_redirect_uris"] = list(postLogout)
      client["backchannel_logout_uri"] = backchannelLogout.map(JSONValue.string)
      let grants = [
        (!redirect.isEmpty, "authorization_code"), (!redirect.isEmpty || ciba || device, "refresh_token"),
        (clientCredentials, "client_credentials"), (ciba, "urn:openid:params:grant-type:ciba"),
        (device, "urn:ietf:params:oauth:grant-type:device_code"),
      ]
      client["grant_types"] = list(grants.filter(\.0).map(\.1))
      if rs256 { client["id_token_signed_response_alg"] = "RS256" }
      if dpop { client["dpop_bound_access_tokens"] = true }
      if par { client["require_pushed_authorization_requests"] = true }
      if noConsent { client["require_consent"] = false }
      if opaque { client["access_token_format"] = "opaque" }
      let written = try ClientsFile.change(place.url, orEmpty: true) { clients in
        guard !clients.contains(where: { ClientsFile.isSame($0, id, realm) }) else {
          throw CommandFailure.conflict("The client \(printable(id)) is in the file already.")
        }
        clients.append(.object(client))
      }
      ClientsFile.warn(written.client(id, realm: realm)?.warnings ?? [])
      if output.json {
        var result: JSONObject = ["client_id": .string(id)]
        result["client_secret"] = secret.map(JSONValue.string)
        return Output.json(.object(result))
      }
      Output.line("client_id      \(printable(id))")
      if let secret {
        Output.line("client_secret  \(secret)")
        Output.remark("Save the secret now: the file has only its hash.")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the clients in the file.")

    @OptionGroup var place: FileOption
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let clients = try ClientsFile.read(place.url, orEmpty: false)["clients"]?.arrayValue ?? []
      output.records(
        clients,
        [
          Column("ID", of: "client_id"), Column("REALM", of: "realm", none: "alpha"),
          Column("AUTHENTICATION", of: "token_endpoint_auth_method", none: "client_secret_basic"),
          Column("REDIRECT ADDRESSES") {
            ($0["redirect_uris"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: " ")
          },
        ])
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a client: it gets no further tokens, and its refresh tokens are no longer accepted.")

    @OptionGroup var place: FileOption

    @Argument(help: "The client's id.")
    var id: String

    @Option(help: "Realm.")
    var realm = "alpha"

    @OptionGroup var output: ResultOptions

    func run() async throws {
      try ClientsFile.change(place.url, orEmpty: false) { clients in
        let count = clients.count
        clients.removeAll { ClientsFile.isSame($0, id, realm) }
        guard clients.count < count else {
          throw CommandFailure.notFound("There is no client \(printable(id)) in the file.")
        }
      }
      output.result(
        "Removed \(printable(id)).", ["client_id": .string(id), "removed": true])
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check the file as the server reads it; exit code 1 when the server would not take it.")

    @OptionGroup var place: FileOption
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let clients = try ClientsFile.check(try ClientsFile.read(place.url, orEmpty: false))
      ClientsFile.warn(clients.warnings)
      let count = clients.all.count
      output.result(
        "The file is valid: \(count) client\(count == 1 ? "" : "s").", ["clients": .integer(Int64(count))])
    }
  }
}

/// Reads and writes the client file. The file is private, because it contains hashes of secrets.
private enum ClientsFile {
  static func read(_ file: URL, orEmpty: Bool) throws -> JSONObject {
    guard FileManager.default.fileExists(atPath: file.path) else {
      if orEmpty { return ["clients": []] }
      throw CommandFailure.notFound("There is no file \(printable(file.path)).")
    }
    do {
      let data = try Data(contentsOf: file)
      return try JSONObject(
        parsing: Array(data), limits: JSONLimits(maximumBytes: 16 << 20, maximumDepth: 16))
    } catch let error as JSONError {
      throw CommandFailure.invalid("\(printable(file.path)) is not a JSON object: \(error).")
    }
  }

  static func isSame(_ client: JSONValue, _ id: String, _ realm: String) -> Bool {
    client["client_id"]?.stringValue == id
      && (client["realm"]?.stringValue ?? "alpha").lowercased() == realm.lowercased()
  }

  /// Parses the clients like a server.
  static func check(_ json: JSONObject) throws -> OpenIDClients {
    do { return try OpenIDClients(parsing: json.serialized) } catch {
      throw CommandFailure.invalid(sentence("\(error)"))
    }
  }

  static func warn(_ warnings: [String]) {
    for warning in warnings { Output.remark("Warning: \(printable(warning))") }
  }

  /// Changes the clients, and returns them if a server would accept them; otherwise writes nothing.
  ///
  /// The draft is made first: its lock keeps other commands from reading the file before this change is in it. One of them would bring a
  /// removed client back.
  @discardableResult
  static func change(
    _ file: URL, orEmpty: Bool, _ body: (inout [JSONValue]) throws -> Void
  ) throws -> OpenIDClients {
    // A missing file is reported before anything is made beside it.
    if !orEmpty { _ = try read(file, orEmpty: false) }
    let draft = try PrivateFileDraft(of: file)
    var json = try read(file, orEmpty: orEmpty)
    var list = json["clients"]?.arrayValue ?? []
    try body(&list)
    json["clients"] = .array(list)
    let clients = try check(json)
    let text = try JSONSerialization.data(
      withJSONObject: JSONSerialization.jsonObject(with: Data(json.serialized)),
      options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    try draft.append(Array(text) + [UInt8(ascii: "\n")])
    // A server that cannot read what root has written goes on with a client that root has removed.
    if geteuid() == 0 { _ = try draft.giveAsBefore(mask: 0o644) }
    try draft.commit(replacing: true)
    return clients
  }
}
