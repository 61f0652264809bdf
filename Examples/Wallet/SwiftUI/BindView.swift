import SwiftUI

/// Lets this device pay from an account.
struct BindView: View {
  let model: WalletModel
  @Environment(\.dismiss) private var dismiss
  @State private var username = ""
  @State private var password = ""
  @State private var deviceName = "My phone"

  var body: some View {
    Form {
      TextField("Name", text: $username)
      SecureField("Password", text: $password)
      TextField("What to call this device", text: $deviceName)
      Button("Bind this device") {
        Task {
          dismiss()
          await model.bind(username: username, password: password, deviceName: deviceName)
        }
      }
      .disabled(username.isEmpty || password.isEmpty)
    }
  }
}
