import PingBinding
import SwiftUI

/// Asks for a PIN with the texts of the server's journey.
struct PINView: View {
  let request: PINRequests.Request
  let answer: (String?) -> Void
  @State private var pin = ""

  var body: some View {
    VStack(spacing: 20) {
      Text(request.prompt.title).font(.title)
      Text(request.prompt.description).font(.subheadline)
      SecureField("PIN", text: $pin).keyboardType(.numberPad)
      HStack {
        Button("Cancel") { answer(nil) }
        Button("Continue") { answer(pin) }.disabled(pin.isEmpty)
      }
    }
    .padding()
  }
}
