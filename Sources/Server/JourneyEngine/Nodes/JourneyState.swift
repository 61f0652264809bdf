internal import Bytes
public import Foundation
public import StrictJSON

/// Values that nodes leave for later nodes. All three parts travel sealed inside the `authId`; none is readable by the client.
public struct JourneyState: Sendable, Hashable {
  /// Facts for any later node and for scripts, such as `username`.
  public var shared: JSONObject

  /// Facts that later nodes of this journey need and that never leave it, such as `password` or `DeviceBinding.DEVICE`.
  public var transient: JSONObject

  /// Facts kept apart from scripts' generic access.
  public var secure: JSONObject

  /// What the run has proven; see ``RunAssurance``. Nothing that writes state variables can change it.
  var assurance = RunAssurance()

  public init(
    shared: JSONObject = JSONObject(), transient: JSONObject = JSONObject(), secure: JSONObject = JSONObject()
  ) {
    self.shared = shared
    self.transient = transient
    self.secure = secure
  }

  /// Looks in transient, then secure, then shared state, as PingAM's `nodeState.get` does.
  public subscript(key: String) -> JSONValue? { transient[key] ?? secure[key] ?? shared[key] }

  /// The name of the user identified so far, from shared state; `nil` when absent or empty.
  public var username: String? {
    get { shared["username"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    set { shared["username"] = newValue.map(JSONValue.string) }
  }
}

/// What a run of a journey has proven about its user so far, and the authentication level that it has reached.
///
/// Not a variable of the journey's state, so that no client, script or configured variable name can write it. It belongs to one account and
/// is reset when the journey turns to another user.
struct RunAssurance: Sendable, Hashable {
  /// Sum of the level changes, for any user.
  var level = 0

  /// The latest proof of identity, milliseconds since 1970; `nil` when nothing has been proven.
  var authenticatedAt: Int64?

  /// What has proven the user, in order, for the operator: `password`, `bound-key`, …
  var factors: [String] = []

  /// The store's mark of the password that was right; `nil` when none was asked for. The run gives a session only while the account still
  /// has that password.
  var passwordMark: String?

  /// The user whose level and proofs these are; `nil` while no user was known.
  var account: String?

  /// The account that the run has found under a user's name.
  var found: FoundAccount?

  /// A name, and the id of the account that had it when the run first looked.
  struct FoundAccount: Sendable, Hashable {
    let name: String

    /// ``JourneyState/noAccount`` when nobody had it.
    let id: String
  }

  /// The highest level; its negative is the lowest.
  static let limit = 1_000_000

  /// Whether this is about `username`: names that differ only in case are one account.
  func concerns(_ username: String?) -> Bool {
    guard let account else { return true }
    return username.map { $0.lowercased() == account.lowercased() } ?? false
  }

  /// Resets everything when the user has changed.
  fileprivate mutating func turn(to username: String?) {
    if !concerns(username) {
      let found = found
      self = RunAssurance()
      self.found = found
    }
    account = username ?? account
  }

  fileprivate mutating func change(by increment: Int) {
    level = Self.bounded(level + increment)
  }

  static func bounded(_ level: Int) -> Int { min(limit, max(-limit, level)) }
}

extension JourneyState {
  /// The authentication level that the run has reached for the present user.
  public var authLevel: Int { assurance.concerns(username) ? assurance.level : 0 }

  /// When the run last proved who the present user is; `nil` when it has not.
  public var authenticatedAt: Date? {
    guard username != nil, assurance.concerns(username), let moment = assurance.authenticatedAt else {
      return nil
    }
    return Date(millisecondsSince1970: moment)
  }

  /// What has proven the present user in this run; empty when nothing has.
  public var factors: [String] { assurance.concerns(username) ? assurance.factors : [] }

  /// The mark of the present user's password that was right in this run; see ``notePassword(_:)``.
  public var passwordMark: String? { assurance.concerns(username) ? assurance.passwordMark : nil }

  /// The id of the account that the run has found under the present user's name; `nil` when it has not looked. An account that gets
  /// the name during the run is not the run's.
  public var accountID: String? {
    assurance.found.flatMap { $0.name == username?.lowercased() && $0.id != Self.noAccount ? $0.id : nil }
  }

  /// Stands for the id of an account that does not exist where a known and an unknown name must take equal room in a sealed position: the
  /// length of an `authId` is not hidden.
  public static let noAccount = "00000000-0000-0000-0000-000000000000"

  /// Records that nobody has the name of the present user. An account that the run has found keeps its id.
  public mutating func noteNoAccount() {
    guard accountID == nil, let name = username?.lowercased() else { return }
    assurance.found = RunAssurance.FoundAccount(name: name, id: Self.noAccount)
  }

  /// Records the account of the present user. Drops what was proven about another account of the same name.
  public mutating func noteAccount(_ id: String) {
    guard let name = username?.lowercased() else { return }
    if let known = accountID, known != id { assurance = RunAssurance() }
    assurance.found = RunAssurance.FoundAccount(name: name, id: id)
  }

  /// Records the mark of the present user's password that was right, or has just been chosen.
  public mutating func notePassword(_ mark: String) {
    assurance.turn(to: username)
    assurance.passwordMark = mark
  }

  /// Raises the level of the present user, or lowers it by a negative number.
  public mutating func changeAuthLevel(by increment: Int) {
    assurance.turn(to: username)
    assurance.change(by: increment)
  }

  /// Notes that the present user has just proven who they are. Only nodes that have verified a password, signature, code or
  /// answer call this.
  ///
  /// - Parameter factor: What proved it, for the operator.
  public mutating func noteAuthentication(at moment: Date, by factor: String? = nil) {
    assurance.turn(to: username)
    if let factor, !assurance.factors.contains(factor) { assurance.factors.append(factor) }
    assurance.authenticatedAt = moment.millisecondsSince1970
  }
}
