import SwiftUI
import WalletCore

/// One account: pay from it, see what was paid, take this device's key away.
struct AccountView: View {
  let model: WalletModel
  let account: Wallet.Account
  @State private var recipient = ""
  @State private var amount = ""
  @State private var password = ""
  @State private var deletesAnyway = false

  var body: some View {
    Form {
      Section("Pay") {
        TextField("To", text: $recipient)
        TextField("Amount, such as 12.50", text: $amount)
        Button("Sign and pay") { Task { await model.pay(amount: amount, to: recipient, from: account) } }
          .disabled(amount.isEmpty || recipient.isEmpty || model.isWorking)
      }
      Section("Paid") {
        ForEach(account.payments, id: \.self) { payment in
          HStack {
            Text(payment.recipient)
            Spacer()
            Text("-" + Payment.text(cents: payment.cents))
          }
        }
      }
      Section("This device") {
        SecureField("Password", text: $password)
        Toggle("Delete the key even if the server refuses", isOn: $deletesAnyway)
        Button("Unbind") {
          Task { await model.unbind(account, password: password, force: deletesAnyway) }
        }
        .disabled(password.isEmpty || model.isWorking)
      }
    }
    .navigationTitle(account.name)
  }
}
