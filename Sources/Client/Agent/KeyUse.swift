package import DeviceKeys
package import PersonPrompts

/// A program's request to use a key of this device.
package struct KeyUse: Sendable {
  /// The purpose in the log, such as `SSH sign-in`.
  package let purpose: String
  /// ``PersonQuestion/title`` and ``PersonQuestion/action``
  package let title: String
  package let action: String
  package let caller: Caller
  /// The key, and the store that opens it.
  package let key: StoredKey
  package let store: any DeviceKeyStore
  /// The name that the owner gave the key.
  package let keyName: String
  /// The facts about the use that the question and the log show, such as account and host.
  package let facts: [PersonQuestion.Fact]
  /// The values, beside program and key, that have to be the same for an earlier answer to hold; `nil` when it never does.
  package let sameness: [[UInt8]]?

  package init(
    purpose: String, title: String, action: String, caller: Caller, key: StoredKey, store: any DeviceKeyStore,
    keyName: String, facts: [PersonQuestion.Fact], sameness: [[UInt8]]?
  ) {
    (self.purpose, self.title, self.action, self.caller) = (purpose, title, action, caller)
    (self.key, self.store, self.keyName) = (key, store, keyName)
    (self.facts, self.sameness) = (facts, sameness)
  }
}

/// The type of the agent's questions, which all programs here that ask a person share.
package typealias AgentQuestion = PersonQuestion
