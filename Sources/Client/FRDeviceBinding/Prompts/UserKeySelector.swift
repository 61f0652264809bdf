internal import Concurrency
public import Foundation
internal import PingBinding

/// Receives the chosen key, or `nil` when the person cancels. Only the first call counts.
public typealias UserKeySelectorCallback = (_ selectedUserKey: UserKey?) -> Void

/// Lets a person choose among several keys.
public protocol UserKeySelector: AnyObject {
  /// Shows `userKeys`, newest first, and calls `selectionCallback`. Called on no particular thread.
  func selectUserKey(userKeys: [UserKey], selectionCallback: @escaping UserKeySelectorCallback)
}

/// Lets the person choose a key by its number on the program's terminal.
public class DefaultUserKeySelector: NSObject, UserKeySelector {
  public override init() { super.init() }

  public func selectUserKey(userKeys: [UserKey], selectionCallback: @escaping UserKeySelectorCallback) {
    let answer = Transferred(selectionCallback)
    Task {
      let chosen = await PingBinding.DefaultUserKeySelector().selectKey(
        userKeys: userKeys.map(\.described),
        prompt: PingBinding.Prompt(title: "Select User", subtitle: "", description: ""))
      answer.value(userKeys.first { $0.kid == chosen?.kid })
    }
  }
}

/// Adapts an app's selector to PingBinding.
struct SelectorAdapter: PingBinding.UserKeySelector {
  let selector: any UserKeySelector

  func selectKey(userKeys: [PingBinding.UserKey], prompt: PingBinding.Prompt) async -> PingBinding.UserKey? {
    // The stream ends without a choice when the selector releases its callback.
    let (choices, choice) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
    selector.selectUserKey(userKeys: userKeys.map { UserKey($0) }) { [choice] key in
      choice.yield(key?.kid)
      choice.finish()
    }
    for await kid in choices { return userKeys.first { $0.kid == kid } }
    return nil
  }
}

/// Texts shown to a person, in place of the server's.
public struct Prompt: Sendable, Hashable {
  public let title: String
  public let subtitle: String
  public let description: String

  public init(title: String, subtitle: String, description: String) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }

  init(_ prompt: PingBinding.Prompt) {
    self.init(title: prompt.title, subtitle: prompt.subtitle, description: prompt.description)
  }
}
