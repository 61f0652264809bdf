internal import Concurrency
public import Foundation
internal import PingBinding

/// Receives the chosen key, or `nil` when the person cancels. The first call counts.
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

/// An app's selector, as PingBinding asks it.
struct SelectorAdapter: PingBinding.UserKeySelector {
  let selector: any UserKeySelector

  func selectKey(userKeys: [PingBinding.UserKey], prompt: PingBinding.Prompt) async -> PingBinding.UserKey? {
    // Ends without a choice when the selector forgets its callback.
    let (choices, choice) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
    selector.selectUserKey(userKeys: userKeys.map { UserKey($0) }) { [choice] key in
      choice.yield(key?.kid)
      choice.finish()
    }
    for await kid in choices { return userKeys.first { $0.kid == kid } }
    return nil
  }
}
