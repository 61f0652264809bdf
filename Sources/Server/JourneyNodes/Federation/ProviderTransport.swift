/// Sends requests to identity providers: over HTTP in the server, to a double in tests.
public protocol ProviderTransport: Sendable {
  /// Sends it and takes the answer, whatever its status. Follows no redirect.
  ///
  /// - Parameter limit: the largest answer, in bytes; a larger one is an error.
  func send(_ request: ProviderRequest, limit: Int) async throws -> ProviderAnswer
}

/// A request to a provider.
public struct ProviderRequest: Sendable {
  public var method: String
  public var url: String
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]?

  init(_ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// A provider's answer.
public struct ProviderAnswer: Sendable {
  public var status: Int
  public var body: [UInt8]

  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// A provider cannot be reached, or does not answer. The person may try again later.
public struct ProviderUnreachable: Error, CustomStringConvertible {
  /// Why, for the operator.
  public let reason: String

  public init(reason: String) { self.reason = reason }

  public var description: String { "the provider cannot be reached: \(reason)" }
}
