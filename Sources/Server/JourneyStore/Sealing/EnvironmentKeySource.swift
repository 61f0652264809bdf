internal import Concurrency
internal import Foundation

/// `env:NAME`: one key in a variable of the environment, as text.
///
/// Reading the variable removes it, so that programs started by this one do not get it, and overwrites its text, so that
/// `/proc/PID/environ` does not show it.
package struct EnvironmentKeySource: ServerKeySource {
  private let name: String

  /// The values of removed variables: several sources of one process may name the same variable.
  private static let taken = Locked<[String: [UInt8]]>([:])

  package init(name: String) { self.name = name }

  package var place: String { "the environment variable \(name)" }

  package func keys() throws -> [LoadedServerKey] {
    guard let text = Self.take(name) else {
      throw StoreError.unavailable("\(place) is not set; it must hold the server key")
    }
    guard let key = LoadedServerKey(written: text, place: place), text.count > ServerKey.length else {
      throw StoreError.corrupt(
        "\(place) does not hold a server key: \(ServerKey.length) bytes as \(2 * ServerKey.length) hexadecimal digits or in "
          + "Base64, such as openssl rand -base64 32 prints")
    }
    return [key]
  }

  private static func take(_ name: String) -> [UInt8]? {
    taken.withLock { taken in
      if let start = getenv(name) {
        let count = strlen(start)
        taken[name] = start.withMemoryRebound(to: UInt8.self, capacity: count) {
          Array(UnsafeBufferPointer(start: $0, count: count))
        }
        memset(start, 0, count)
        unsetenv(name)
      }
      return taken[name]
    }
  }
}
