import Foundation
import PingBinding
import SwiftUI

// The guide's screen of the step before.
struct PinCollectorView: View {
  let prompt: Prompt
  let completion: (String?) -> Void
  var body: some View { Text(prompt.title) }
}
// block
