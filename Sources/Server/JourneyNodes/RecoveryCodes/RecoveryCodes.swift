internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyEngine
package import JourneyStore
internal import SecurityEvents
internal import StrictJSON

/// Codes that replace a lost device. They have 80 random bits each, so that their SHA-256 does not reveal them.
package struct RecoveryCodes: Sendable {
  let services: NodeServices

  package init(services: NodeServices) { self.services = services }

  static let count = 10

  /// Longest text that is accepted as a code, in bytes.
  private static let maximumBytes = 64

  /// Makes new codes, which replace all earlier ones of these kinds, and leaves them for the display node.
  func replace(
    kinds: [String], of user: UserRecord, device: String, in state: inout JourneyState
  ) async throws {
    let codes = try await replace(kinds: kinds, of: user)
    state.transient[RecoveryCodeState.codes] = .array(codes.map(JSONValue.string))
    state.transient[RecoveryCodeState.deviceName] = .string(device)
  }

  /// Makes new codes, which replace all earlier ones of these kinds. Only their hashes are stored, so show them now.
  package func replace(kinds: [String], of user: UserRecord) async throws -> [String] {
    let codes = (0..<Self.count).map { _ in makeCode() }
    for kind in kinds {
      try await services.store.setRecoveryCodes(
        codes.map(Self.hash), kind: kind, of: user.account, id: user.id)
      try await services.events.require(
        SecurityEvent(
          .recoveryCodesMade, realm: user.realm, account: user.username, accountID: user.id,
          detail: ["kind": .string(kind)]))
    }
    return codes
  }

  /// Uses `code` up; `false` when it is not one of the user's.
  func use(_ code: String, kind: String, username: String, realm: String) async throws -> Bool {
    guard code.utf8.count <= Self.maximumBytes else { return false }
    guard
      try await services.store.useRecoveryCode(
        Self.hash(code), kind: kind, of: UniversalID(username: username, realm: realm))
    else { return false }
    try await services.events.require(
      SecurityEvent(.recoveryCodeUsed, realm: realm, account: username, detail: ["kind": .string(kind)]))
    return true
  }

  /// `ABCD-EFGH-IJKL-MNOP`.
  private func makeCode() -> String {
    let letters = services.randomBytes(16).map { Base32.letters[Int($0 & 31)] }
    return stride(from: 0, to: letters.count, by: 4)
      .map { String(decoding: letters[$0..<min($0 + 4, letters.count)], as: UTF8.self) }.joined(
        separator: "-")
  }

  /// The hash of a code as people type it: case, hyphens and spaces are ignored.
  package static func hash(_ code: String) -> [UInt8] {
    let plain = code.uppercased().filter { !$0.isWhitespace && $0 != "-" }
    return Array(SHA256.hash(data: Data(plain.utf8)))
  }
}

/// Names of the state variables by which recovery codes reach the node that displays them. In transient state.
enum RecoveryCodeState {
  /// The codes to show.
  static let codes = "recoveryCodes"

  /// The device that they stand in for.
  static let deviceName = "recoveryCodeDeviceName"
}

extension NodeDefinition {
  /// Shows the recovery codes that a registration node has left, once.
  func recoveryCodeDisplayNode() -> PlainNode {
    PlainNode { context in
      let codes =
        context.state.transient[RecoveryCodeState.codes]?.arrayValue?.compactMap(\.stringValue) ?? []
      context.state.transient[RecoveryCodeState.codes] = nil
      context.state.transient[RecoveryCodeState.deviceName] = nil
      guard !codes.isEmpty else { return .outcome("outcome") }
      return .callbacks([StandardCallback.text(codes.joined(separator: "\n"))])
    }
  }

  /// Asks for a recovery code, which is used up when it is right.
  func recoveryCodeCollectorDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let kind = try choice(
      "recoveryCodeType", default: "OATH", among: ["OATH", "PUSH", "WEB_AUTHN"].map { ($0, $0) })
    return PlainNode(outcomes: ["true", "false"], stateInputs: [StateKey.username]) { context in
      let username = try context.requiredUsername()
      let realm = context.request.realm
      guard let code = context.reply?.enteredName else {
        return .callbacks([StandardCallback.name(prompt: "Recovery Code")])
      }
      let lock = try await services.lock(.recoveryCodes, of: username, in: context.request)
      guard try await !lock.isLocked() else {
        return context.outcome("false", because: "the account is locked after too many failures")
      }
      // Read first: the code must be that of the account that the run is about, and stay its proof.
      let user = try await services.user(in: &context)
      guard
        try await RecoveryCodes(services: services).use(code, kind: kind, username: username, realm: realm),
        user != nil
      else {
        try await lock.countFailure()
        return context.outcome("false", because: "the recovery code is wrong or used")
      }
      // When many codes are sent at once, a right one does not count after wrong ones have begun a lock.
      guard try await lock.recordSuccess() else {
        return context.outcome("false", because: "the account is locked after too many failures")
      }
      context.state.noteAuthentication(at: services.clock(), by: "recovery-code")
      return .outcome("true")
    }
  }

  /// Records that the user opts out of the second factor that the journey asked to register.
  func optOutMultiFactorAuthenticationNode(_ services: NodeServices) -> PlainNode {
    PlainNode(stateInputs: [StateKey.username]) { context in
      let method = context.state[PushState.method]?.stringValue ?? "push"
      guard let user = try await services.user(in: &context) else {
        throw NodeError("there is no such user to skip \(method) for")
      }
      let (accounts, actor) = (services.accounts, context.actor)
      do {
        switch method {
        case "push":
          try await accounts.skipMethods(
            .skippable, kind: method, in: services.store.pushDevices, of: user.account, by: actor)
        case "oath":
          try await accounts.skipMethods(
            .skippable, kind: method, in: services.store.oathDevices, of: user.account, by: actor)
        default:
          throw NodeError("the journey wants to skip \(method.quoted), and only push and oath can be skipped")
        }
      } catch let refusal as AccountRefusal { throw NodeRefusal(mapping: refusal) }
      return .outcome("outcome")
    }
  }
}
