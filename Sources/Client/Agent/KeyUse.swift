package import DeviceKeys
package import PersonPrompts

/// What a program wants a key of this device for.
package struct KeyUse: Sendable {
  /// What it is, in the log: `SSH sign-in`.
  package let purpose: String
  /// ``PersonQuestion/title`` and ``PersonQuestion/action``
  package let title: String
  package let action: String
  package let caller: Caller
  /// The key, and what opens it.
  package let key: StoredKey
  package let store: any DeviceKeyStore
  /// What its owner calls it.
  package let keyName: String
  /// What the use is for, as the question and the log show it: account, host.
  package let facts: [PersonQuestion.Fact]
  /// What has to be the same for an earlier answer to hold, beside program and key; `nil` when it never does.
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

/// The agent's questions are those of every program here that asks a person.
package typealias AgentQuestion = PersonQuestion
