package import Foundation

/// A server for commands, with its data in a folder that commands can be given, too.
package protocol CommandServer: Sendable {
  associatedtype End

  /// Starts a server on a free port.
  static func start(data: URL) async throws -> Self

  var address: String { get }

  /// Ends the server as an operator does.
  @discardableResult func stop() async throws -> End
}
