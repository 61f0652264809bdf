import BindingFormats
import Concurrency
import JourneyEngine
import JourneyNodes
import JourneyStore
import MailService
import StrictJSON
import Testing

/// Keeps the mail that nodes send.
final class MailRecorder: Sendable {
  private let recorded = Locked<[MailMessage]>([])

  var messages: [MailMessage] { recorded.withLock { $0 } }

  func record(_ message: MailMessage) { recorded.withLock { $0.append(message) } }
}

extension World {
  /// Records the mail from now on.
  mutating func recordMail() throws -> MailRecorder {
    let recorder = MailRecorder()
    mail = NodeMail(sender: try #require(MailAddress("login@example.com"))) { recorder.record($0) }
    return recorder
  }

  func user(_ name: String = "mira") async throws -> UserRecord {
    try #require(await store.user(named: name, realm: "alpha"))
  }

  /// Gives an account attributes, and a mail address if wanted.
  func set(_ attributes: JSONObject, mail: [String]? = nil, of name: String = "mira") async throws {
    var change = UserChange(of: try await user(name))
    change.attributes = attributes
    change.mail = mail
    guard case .changed = try await store.updateUser(change) else { throw Unexpected("not changed") }
  }

  func deactivate(_ name: String) async throws {
    var change = UserChange(of: try await user(name))
    change.isActive = false
    guard case .changed = try await store.updateUser(change) else { throw Unexpected("not changed") }
  }

  var users: ManagedUsers { ManagedUsers(services) }
}

extension JourneyState {
  init(username: String? = nil, collected: JSONObject) {
    self.init(username: username)
    shared["objectAttributes"] = .object(collected)
  }
}
