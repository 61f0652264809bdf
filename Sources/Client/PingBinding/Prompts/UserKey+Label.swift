internal import Foundation
internal import TerminalText

extension UserKey {
  /// Whose key it is, for the person.
  var name: String {
    if !username.isEmpty {
      username
    } else if !userId.isEmpty {
      "User: \(userId)"
    } else {
      "Key: \(id)"
    }
  }

  /// ``name``, what unlocks the key, and when it was bound.
  var label: String {
    "\(name) (\(authType == .none ? "no PIN" : authType.words), bound \(TerminalText.Times.text(createdAt)))"
  }
}
