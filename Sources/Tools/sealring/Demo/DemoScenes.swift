import ArgumentParser
import Assembly
import Foundation
import JourneyStore
import PingOrchestrate

/// A story of the demo: its user, and how its scenes are printed.
protocol DemoScenes {
  var options: ServerOptions { get }
  var folder: URL { get }
  var server: SealringServer { get }
}

extension DemoScenes {
  static var username: String { "mira" }
  static var password: String { "correct horse battery staple" }

  /// The scenes that begin every story: the server, the user.
  func begin() async throws {
    scene("Server", "listening on \(options.baseAddress), data in")
    detail(folder.path(percentEncoded: false))
    let isNew = try await server.store.user(named: Self.username, realm: options.realm) == nil
    if isNew {
      try await server.createUser(Self.username, password: Secret(Self.password), realm: options.realm)
    }
    scene(
      "User",
      "\(Self.username) has an account in realm \(options.realm)\(isNew ? "" : " from an earlier run")")
  }

  func scene(_ name: String, _ text: String) {
    Output.line("\(colour("1", name.padding(toLength: 8, withPad: " ", startingAt: 0)))\(text)")
  }

  func detail(_ text: String) { Output.line("        \(text)") }

  func verdict(accepted: Bool, _ text: String) {
    detail(accepted ? "\(colour("32", "accepted")): \(text)" : "\(colour("31", "refused")): \(text)")
  }

  /// Checks that the server refused.
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
