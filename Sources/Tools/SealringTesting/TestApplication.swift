internal import BindingFormats
internal import Bytes
internal import Foundation
public import SigningTransactions
public import StrictJSON

/// A relying party's program in a test: requests approval of transactions and reads the verdicts, over HTTP.
///
/// ```swift
/// let shop = try await server.addApplication("shop")
/// let payment = try await shop.create(Transaction(amount: "42.00", currency: "EUR", payee: "Bakery"))
/// #expect(await device.approve(payment, on: server, person: person).isSuccess)
/// #expect(try await shop.read(payment)["state"] == "approved")
/// ```
public struct TestApplication: Sendable {
  /// The server's id of the application.
  public let id: String

  /// The application's secret. Tests may show it.
  public private(set) var secret: String

  private let collection: String

  /// Creates an application that is registered on the server at `address`, such as `http://127.0.0.1:8080/am`.
  public init(id: String, secret: String, address: String, realm: String = "alpha") {
    self.id = id
    self.secret = secret
    collection = RealmPath(realm).resources(at: address) + "/transactions"
  }

  /// The same application with another secret, to test a wrong one.
  public func with(secret: String) -> TestApplication {
    var other = self
    other.secret = secret
    return other
  }

  /// Creates a transaction on the server.
  ///
  /// - Parameters:
  ///   - transaction: The transaction to approve.
  ///   - username: The only user who may approve it; `nil` for any.
  ///   - journey: The journey to run; `nil` is the server's default.
  ///   - seconds: The time for approval; `nil` is the server's default.
  /// - Returns: The transaction's id.
  /// - Throws: ``TestServerError/refused(status:message:)``.
  public func create(
    _ transaction: Transaction, for username: String? = nil, journey: String? = nil,
    expiresIn seconds: Int? = nil
  ) async throws -> String {
    var body: JSONObject = ["fields": .object(transaction.json)]
    body["username"] = username.map(JSONValue.string)
    body["journey"] = journey.map(JSONValue.string)
    body["expiresIn"] = seconds.map { .integer(Int64($0)) }
    return try await create(body)["_id"]?.stringValue ?? ""
  }

  /// Creates a transaction with a body of any form.
  public func create(_ body: JSONObject) async throws -> JSONValue {
    try await TestClient.send("\(collection)?_action=create", headers: headers, body: body)
  }

  /// The transaction's current state on the server.
  ///
  /// - Throws: ``TestServerError/refused(status:message:)``.
  public func read(_ id: String) async throws -> JSONValue {
    let path = PercentEncoding.encode(id)
    return try await TestClient.send("\(collection)/\(path)", headers: headers)
  }

  /// The file that proves the approval of a transaction to anybody (docs/prove-a-payment.md).
  ///
  /// - Throws: ``TestServerError/refused(status:message:)``, with 404 before the approval, and for a server in memory.
  public func proof(of id: String) async throws -> JSONValue {
    let path = PercentEncoding.encode(id)
    return try await TestClient.send("\(collection)/\(path)/proof", headers: headers)
  }

  private var headers: [String: String] {
    ["Authorization": "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()]
  }
}

extension TestServer {
  /// Registers an application, as the administrator.
  ///
  /// - Parameter takesPlainProofs: Whether apps that do not know the claim `txn` may approve its transactions.
  public func addApplication(
    _ name: String, realm: String = "alpha", takesPlainProofs: Bool = false
  ) async throws -> TestApplication {
    let application = try await TestClient.send(
      "\(RealmPath(realm).resources(at: address))/applications?_action=create",
      headers: try await TestClient.administrator(at: address, cookieName: cookieName),
      body: ["name": .string(name), "plainProofs": .bool(takesPlainProofs)])
    return TestApplication(
      id: application["_id"]?.stringValue ?? "", secret: application["secret"]?.stringValue ?? "",
      address: address, realm: realm)
  }
}
