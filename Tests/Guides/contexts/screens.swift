import Foundation
import PingBinding
import SwiftUI

struct ContentView: View {
  var body: some View { Text("") }
}
// block
