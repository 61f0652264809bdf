internal import StrictJSON

/// What the hidden value `webAuthnOutcome` says about a ceremony: the client's answer, or why there is none.
public enum ClientOutcome<Response: OutcomeResponse>: Sendable, Hashable {
  /// - Parameter attachment: `platform` or `cross-platform`, in the JSON form only.
  case completed(Response, attachment: AuthenticatorAttachment?)

  /// The client has no authenticator for this.
  case unsupported

  /// The client gave up.
  case failed(ClientError)

  /// Longest accepted value in characters: an attestation object of 64 KiB takes up to five for each byte.
  static var maximumCharacters: Int { 512 << 10 }

  /// Reads the value in the plain or the JSON form. The JSON form has `legacyData` or `error`, of which `error` wins, and beside
  /// `legacyData` our own `clientExtensionResults`.
  ///
  /// - Throws: ``OutcomeError``, also for the value that AM sends along as a placeholder.
  public init(parsing value: String) throws(OutcomeError) {
    guard value.utf8.count <= Self.maximumCharacters else {
      throw OutcomeError(reason: "it has more than \(Self.maximumCharacters) characters")
    }
    // The plain form also begins with a brace, but more follows the object.
    let limits = JSONLimits(maximumBytes: Self.maximumCharacters, maximumDepth: 16)
    if value.utf8.first == UInt8(ascii: "{"),
      let object = try? JSONObject(parsing: value.utf8, limits: limits)
    {
      if let text = object["error"]?.stringValue {
        self = .failed(ClientError(parsing: text))
        return
      }
      guard let text = object["legacyData"]?.stringValue else {
        throw OutcomeError(reason: "the JSON form has neither legacyData nor error")
      }
      let attachment = object["authenticatorAttachment"]?.stringValue
      try self.init(
        plain: text, attachment: attachment.flatMap(AuthenticatorAttachment.init),
        extensionResults: object["clientExtensionResults"]?.objectValue)
    } else {
      try self.init(plain: value, attachment: nil)
    }
  }

  private init(
    plain text: String, attachment: AuthenticatorAttachment?, extensionResults: JSONObject? = nil
  ) throws(OutcomeError) {
    if text == "unsupported" {
      self = .unsupported
    } else if text.hasPrefix(ClientError.prefix) {
      self = .failed(ClientError(parsing: String(text.dropFirst(ClientError.prefix.count))))
    } else {
      var response = try Response(parsing: text)
      if let extensionResults { response.extensionResults = extensionResults }
      self = .completed(response, attachment: attachment)
    }
  }

  /// The value to send.
  ///
  /// - Parameter asJSON: the JSON form, for servers that say `supportsJsonResponse`. Errors keep the plain form, as AM's clients do.
  public func text(asJSON: Bool) -> String {
    switch self {
    case .unsupported: return "unsupported"
    case .failed(let error): return ClientError.prefix + error.text
    case .completed(let response, let attachment):
      guard asJSON else { return response.text }
      var object = JSONObject()
      object["authenticatorAttachment"] = attachment.map { .string($0.rawValue) }
      object["legacyData"] = .string(response.text)
      if response.extensionResults.count > 0 {
        object["clientExtensionResults"] = .object(response.extensionResults)
      }
      return JSONValue.object(object).text
    }
  }
}

/// Whether an authenticator is part of the device.
public enum AuthenticatorAttachment: String, Sendable, Hashable, CaseIterable {
  case platform
  case crossPlatform = "cross-platform"
}

/// Why a client gave up, by the names that AM knows.
public struct ClientError: Error, Sendable, Hashable {
  /// The names of DOM exceptions that AM knows; another one would make its node fail.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case notAllowed = "NotAllowedError"
    case security = "SecurityError"
    case abort = "AbortError"
    case notSupported = "NotSupportedError"
    case invalidState = "InvalidStateError"
    case unknown = "UnknownError"
    case network = "NetworkError"
    case timeout = "TimeoutError"
    case encoding = "EncodingError"
    case constraint = "ConstraintError"
    case data = "DataError"
  }

  static let prefix = "ERROR::"

  public let name: Name

  /// Free text of the client: for logs, never to be trusted.
  public let message: String

  public init(_ name: Name, _ message: String = "") {
    self.name = name
    self.message = message
  }

  /// Reads `<name>:<message>`. Without a known name it is an ``Name/unknown`` error with the whole text.
  init(parsing text: String) {
    if let colon = text.firstIndex(of: ":"), let name = Name(rawValue: String(text[..<colon])) {
      self.init(name, String(text[text.index(after: colon)...].prefix(512)))
    } else {
      self.init(.unknown, String(text.prefix(512)))
    }
  }

  /// `<name>:<message>`, as shared state and outcomes carry it.
  public var text: String { "\(name.rawValue):\(message)" }
}

/// Why a value is not an outcome.
public struct OutcomeError: Error, Sendable, Hashable, CustomStringConvertible {
  public let reason: String

  public var description: String { "the outcome cannot be read: \(reason)" }
}
