import Foundation
import SealringTesting
import Testing
import WalletCore

@Suite(.serialized) struct WalletTests {
  init() { _ = Self.home }

  /// Keys of this run's own, for the wallet keeps them where the app's home is. Set once, before a server runs that reads the environment.
  private static let home: URL = {
    let home = FileManager.default.temporaryDirectory.appending(path: "wallet-tests-\(UUID().uuidString)")
    setenv("SEALRING_HOME", home.path(), 1)
    return home
  }()

  /// A wallet of mira, who has bound this device with a PIN.
  private func wallet(_ person: ScriptedPerson, on server: TestServer) async throws -> Wallet {
    try await server.addUser("mira", password: "correct horse")
    let wallet = Wallet(
      server: server.address, pins: person, ledger: Self.home.appending(path: "\(UUID().uuidString).json"))
    try await wallet.bind(username: "mira", password: "correct horse", deviceName: "Wallet of mira")
    return wallet
  }

  private func run(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
    defer { try? FileManager.default.removeItem(at: Self.home) }
    // The wallet goes by the real time, and so does the server.
    try await TestServer.run(configure: { $0.clock = { Date() } }, body)
  }

  @Test func `a payment is signed, and the account has less`() async throws {
    try await run { server in
      let wallet = try await wallet(ScriptedPerson(pin: "471108"), on: server)
      let account = try #require(try await wallet.accounts().first)
      let payment = try await wallet.pay(amount: "12.50", to: "Babs", from: account)
      #expect(payment?.text == "Pay 12.50 EUR to Babs")
      #expect(try await wallet.accounts().first?.balance == 987_50)
    }
  }

  @Test func `without the PIN nothing is paid`() async throws {
    try await run { server in
      let person = ScriptedPerson(pins: [.enters("471108"), .enters("471109")])
      let wallet = try await wallet(person, on: server)
      let account = try #require(try await wallet.accounts().first)
      await #expect(throws: WalletError.self) {
        try await wallet.pay(amount: "12.50", to: "Babs", from: account)
      }
      #expect(try await wallet.accounts().first?.payments == [])
    }
  }

  @Test func `more than the account has is not asked for`() async throws {
    try await run { server in
      let person = ScriptedPerson(pin: "471108")
      let wallet = try await wallet(person, on: server)
      let account = try #require(try await wallet.accounts().first)
      let asked = person.pinPrompts.count
      await #expect(throws: WalletError.self) {
        try await wallet.pay(amount: "1000.01", to: "Babs", from: account)
      }
      #expect(person.pinPrompts.count == asked)
    }
  }

  @Test func `unbinding takes the server's record and the key`() async throws {
    try await run { server in
      let wallet = try await wallet(ScriptedPerson(pin: "471108"), on: server)
      let account = try #require(try await wallet.accounts().first)
      try await wallet.unbind(account, password: "correct horse")
      #expect(try await wallet.accounts().isEmpty)
      #expect(try await server.devices(of: "mira").isEmpty)
    }
  }
}
