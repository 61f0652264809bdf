import Foundation
import PingBinding
import PingDeviceClient
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingNetwork
import PingOrchestrate
import PingStorage

/// A wallet whose payments are signed with a key that never leaves the device.
public struct Wallet: Sendable {
  /// An account that this device may pay from.
  public struct Account: Identifiable, Sendable, Hashable {
    /// The key that signs for it.
    public let key: UserKey
    /// What is left, in cents.
    public let balance: Int
    /// What was paid from it on this device, newest first.
    public let payments: [Payment]

    public var id: String { key.kid }
    public var name: String { key.username }
  }

  /// The `iss` of what is signed. The bundled journeys accept this one; a real app sets its own in its journeys.
  static let applicationID = "com.sealring.cli"

  let server: String
  let realm: String
  let pins: any PinCollector & Sendable
  let ledger: any Storage<[Payment]>

  /// A wallet of the users of a server.
  ///
  /// - Parameters:
  ///   - server: The server's address, such as `http://127.0.0.1:8080/am`.
  ///   - realm: The users' realm.
  ///   - pins: Asks for PINs.
  ///   - ledger: The file that remembers payments.
  public init(server: String, realm: String = "alpha", pins: any PinCollector & Sendable, ledger: URL) {
    self.server = server
    self.realm = realm
    self.pins = pins
    self.ledger = FileStorage<[Payment]>(file: ledger)
  }

  /// The accounts of this device's keys.
  public func accounts() async throws -> [Account] {
    let payments = try await ledger.get() ?? []
    return try await BindingModule.getAllKeys().map { key in
      let own = payments.filter { $0.payer == key.userId }
      return Account(
        key: key, balance: Payment.openingCents - own.map(\.cents).reduce(0, +),
        payments: own.sorted { $0.date > $1.date })
    }
  }

  /// Makes a key for the account of `username` and has the server remember its public part. Asks for a new PIN.
  public func bind(username: String, password: String, deviceName: String) async throws {
    _ = try await play(
      "BindDevice", answers: Answers(username: username, password: password, deviceName: deviceName))
  }

  /// Has the person sign the payment's text, and the server verify the signature. Asks for the PIN.
  public func pay(amount: String, to recipient: String, from account: Account) async throws -> Payment? {
    guard let payment = Payment(amount: amount, recipient: recipient, payer: account.key.userId) else {
      return nil
    }
    guard payment.cents <= account.balance else { throw WalletError.insufficientFunds }
    _ = try await play("SignTransaction", answers: Answers(text: payment.text, kid: account.key.kid))
    try await ledger.save(item: (try await ledger.get() ?? []) + [payment])
    return payment
  }

  /// Deletes the account's binding: the server's record, then the key.
  ///
  /// - Parameter force: Deletes the key although the server refuses; the error still says so.
  /// - Throws: `UnbindingError` says what is left. Calling it again is safe.
  public func unbind(_ account: Account, password: String, force: Bool = false) async throws {
    let token = try await play("Login", answers: Answers(username: account.name, password: password))
    let records = DeviceClient(
      config: DeviceClientConfig(
        serverUrl: server, realm: realm, ssoToken: token,
        httpClient: PingNetwork.HttpClient.createClient { $0.logger = LogManager.none }))
    try await BindingModule.unbind(account.key, on: records, forceDelete: force)
  }
}
