import Foundation
import PingBinding
import PingStorage
import WalletCore

/// `wallet bind|accounts|pay|unbind`.
@main
enum WalletCommand {
  static let usage = """
    wallet bind NAME                 let this device pay from NAME's account; asks for password and a new PIN
    wallet accounts                  what the accounts of this device have, and what was paid
    wallet pay AMOUNT RECIPIENT      sign a payment; asks for the PIN
    wallet unbind NAME [--force]     delete the server's record and this device's key; asks for the password

    WALLET_SERVER is the server, by default http://127.0.0.1:8080/am. With several accounts, WALLET_ACCOUNT names the payer.
    """

  static func main() async {
    let environment = ProcessInfo.processInfo.environment
    let wallet = Wallet(
      server: environment["WALLET_SERVER"] ?? "http://127.0.0.1:8080/am", pins: ConsolePIN(),
      ledger: ledger)
    do {
      let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--force" }
      let force = CommandLine.arguments.contains("--force")
      switch (arguments.first, arguments.count) {
      case ("bind", 2): try await bind(arguments[1], wallet)
      case ("accounts", 1): try await show(wallet)
      case ("pay", 3):
        try await pay(arguments[1], to: arguments[2], payer: environment["WALLET_ACCOUNT"], wallet)
      case ("unbind", 2): try await unbind(arguments[1], force: force, wallet)
      default:
        print(usage)
        exit(64)
      }
    } catch {
      FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func bind(_ name: String, _ wallet: Wallet) async throws {
    guard let password = Console.ask("Password of \(name)", isSecret: true) else {
      throw WalletError.device(.abort)
    }
    try await wallet.bind(username: name, password: password, deviceName: "Wallet of \(name)")
    print("This device may now pay from \(name)'s account.")
  }

  private static func show(_ wallet: Wallet) async throws {
    let accounts = try await wallet.accounts()
    if accounts.isEmpty { print("No account yet: wallet bind NAME") }
    for account in accounts {
      print("\(account.name)\t\(Payment.text(cents: account.balance))")
      for payment in account.payments {
        print(
          "  \(payment.date.formatted(.iso8601))  -\(Payment.text(cents: payment.cents))  \(payment.recipient)"
        )
      }
    }
  }

  private static func pay(_ amount: String, to recipient: String, payer: String?, _ wallet: Wallet)
    async throws
  {
    let account = try await account(payer, wallet)
    guard let payment = try await wallet.pay(amount: amount, to: recipient, from: account) else {
      print("\(amount) is not an amount: write 12 or 12.50.")
      exit(64)
    }
    print("Signed and accepted: \(payment.text).")
  }

  private static func unbind(_ name: String, force: Bool, _ wallet: Wallet) async throws {
    let account = try await account(name, wallet)
    guard let password = Console.ask("Password of \(name)", isSecret: true) else {
      throw WalletError.device(.abort)
    }
    try await wallet.unbind(account, password: password, force: force)
    print("This device may no longer pay from \(name)'s account.")
  }

  /// The account of that name; without a name, the only one.
  private static func account(_ name: String?, _ wallet: Wallet) async throws -> Wallet.Account {
    let accounts = try await wallet.accounts().filter { name == nil || $0.name == name }
    guard let account = accounts.first, accounts.count == 1 || name != nil else {
      throw WalletError.device(.clientNotRegistered)
    }
    return account
  }

  /// In the same folder as the keys.
  private static var ledger: URL { ClientHome.standard.directory.appending(path: "wallet-payments.json") }
}
