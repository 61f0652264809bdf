import SwiftUI
import WalletCore

/// The accounts of this device, each with its balance and payments.
struct AccountsView: View {
  @Bindable var model: WalletModel
  @Bindable var pins: PINRequests
  @State private var isBinding = false

  var body: some View {
    NavigationStack {
      List(model.accounts) { account in
        NavigationLink {
          AccountView(model: model, account: account)
        } label: {
          HStack {
            Text(account.name)
            Spacer()
            Text(Payment.text(cents: account.balance))
          }
        }
      }
      .navigationTitle("Wallet")
      .toolbar { Button("Add account") { isBinding = true } }
    }
    .task { await model.load() }
    .sheet(isPresented: $isBinding) { BindView(model: model) }
    .sheet(item: $pins.current) { PINView(request: $0, answer: pins.answer) }
    .alert(model.message ?? "", isPresented: $model.hasMessage) { Button("OK") {} }
  }
}
