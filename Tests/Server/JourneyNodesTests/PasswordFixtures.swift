import Accounts
import Concurrency
import JourneyNodes

/// Passwords whose checks all end at the same moment: when `count` of them have begun.
struct PasswordsAtOnce: PasswordVerifying {
  private let count: Int
  private let right: String?
  private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

  init(count: Int, right: String? = nil) {
    self.count = count
    self.right = right
  }

  func verify(_ password: String, against hash: String?) async throws -> Bool {
    await withCheckedContinuation { continuation in
      let all = waiting.withLock { waiting in
        waiting.append(continuation)
        return waiting.count == count ? waiting : []
      }
      for one in all { one.resume() }
    }
    return password == right
  }

  func hash(_ password: String) -> String { "" }
}

/// Passwords whose hashes have become dearer than those that are stored.
struct DearerPasswords: PasswordVerifying {
  func verify(_ password: String, against hash: String?) -> Bool {
    hash == "plain:\(password)" || hash == "dear:\(password)"
  }

  func hash(_ password: String) -> String { "dear:\(password)" }

  func needsRehash(_ hash: String) -> Bool { !hash.hasPrefix("dear:") }
}
