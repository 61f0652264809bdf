import Foundation
import Observation
import PingBinding
import WalletCore

/// What the screens show, and what they ask for.
@MainActor @Observable final class WalletModel {
  private(set) var accounts: [Wallet.Account] = []
  private(set) var isWorking = false

  /// What to tell the person.
  private(set) var message: String?

  /// Whether there is something to tell; the screen sets it to `false` once it is read.
  var hasMessage: Bool {
    get { message != nil }
    set { if !newValue { message = nil } }
  }

  /// The PIN entry on screen.
  let pins = PINRequests()

  private let wallet: Wallet

  init(server: String) {
    wallet = Wallet(
      server: server, pins: pins, ledger: URL.homeDirectory.appending(path: "Documents/wallet-payments.json"))
  }

  func load() async { await work { self.accounts = try await self.wallet.accounts() } }

  func bind(username: String, password: String, deviceName: String) async {
    await work {
      try await self.wallet.bind(username: username, password: password, deviceName: deviceName)
      self.accounts = try await self.wallet.accounts()
    }
  }

  func pay(amount: String, to recipient: String, from account: Wallet.Account) async {
    await work {
      let payment = try await self.wallet.pay(amount: amount, to: recipient, from: account)
      self.message = payment.map { "Signed and accepted: \($0.text)." } ?? "Write the amount like 12.50."
      self.accounts = try await self.wallet.accounts()
    }
  }

  func unbind(_ account: Wallet.Account, password: String, force: Bool) async {
    await work {
      defer { Task { await self.load() } }
      try await self.wallet.unbind(account, password: password, force: force)
    }
  }

  /// Does one thing at a time, and tells the person what went wrong.
  private func work(_ body: @escaping @MainActor () async throws -> Void) async {
    guard !isWorking else { return }
    isWorking = true
    defer { isWorking = false }
    do { try await body() } catch { message = error.localizedDescription }
  }
}

/// The PIN entry that a journey waits for.
@MainActor @Observable final class PINRequests: PinCollector {
  /// One question for a PIN.
  struct Request: Identifiable {
    let id = UUID()
    let prompt: Prompt
    let answer: @Sendable (String?) -> Void
  }

  private var waiting: Request?

  /// What the screen has to ask; `nil` most of the time. Closing the screen sets it to `nil`, which cancels.
  var current: Request? {
    get { waiting }
    set { if newValue == nil { answer(nil) } }
  }

  nonisolated func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    Task { @MainActor in current = Request(prompt: prompt, answer: completion) }
  }

  /// Gives the answer, `nil` to cancel.
  func answer(_ pin: String?) {
    let request = waiting
    waiting = nil
    request?.answer(pin)
  }
}
