import Foundation
import PingOrchestrate

/// A story of the demo: how its scenes are printed.
protocol DemoScenes {
  /// Plays all scenes.
  func tell() async throws
}

extension DemoScenes {
  func scene(_ name: String, _ text: String) {
    Output.line("\(colour("1", name.padding(toLength: 8, withPad: " ", startingAt: 0)))\(text)")
  }

  func detail(_ text: String) { Output.line("        \(text)") }

  func verdict(accepted: Bool, _ text: String) {
    detail(accepted ? "\(colour("32", "accepted")): \(text)" : "\(colour("31", "refused")): \(text)")
  }

  /// The server has to have refused.
  func refused(_ node: any Node) throws {
    guard let error = node as? ErrorNode else {
      throw CommandFailure("The server accepted what it must refuse: please report this as a bug.")
    }
    verdict(accepted: false, "\(error.status ?? 0) \(error.message)")
  }

  private func colour(_ code: String, _ text: String) -> String {
    Output.showsColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
