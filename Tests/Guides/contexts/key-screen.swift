import Foundation
import PingBinding
import SwiftUI

// The guide's screen of the step before.
struct UserKeySelectorView: View {
  let userKeys: [UserKey]
  let prompt: Prompt
  let completion: (UserKey?) -> Void
  var body: some View { Text(prompt.title) }
}
// block
