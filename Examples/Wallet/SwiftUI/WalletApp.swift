import SwiftUI

@main struct WalletApp: App {
  /// Where the journey server runs.
  @State private var model = WalletModel(server: "http://127.0.0.1:8080/am")

  var body: some Scene {
    WindowGroup { AccountsView(model: model, pins: model.pins) }
  }
}
