internal import BindingFormats
internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyGraphs
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import ServerHTTP

/// `/am/admin/signins`: why somebody cannot sign in, and the latest sign-ins.
struct AdministrationSignIns: Endpoint {
  let administration: Administration

  private var store: any ServerStore { administration.pages.store }

  static let pageSize = 20

  /// How often an open page asks for news. Seconds.
  private static let askingInterval = 5

  /// When activity was last written for open pages. One of them does it for all.
  let stored = Locked(Date.distantPast)

  /// The most steps of a run that a list shows. The run's own page shows all.
  private static let shownSteps = 12

  var routes: [Route] {
    [
      administration.route("/am/admin/signins", get: { try await list($0) }),
      administration.route("/am/admin/signins/:id", get: show),
      administration.watch("/am/admin/activity", get: { try await activity($0) }),
    ]
  }

  private func list(_ page: PageContext) async throws -> Response {
    await administration.activity.store(everything: true)
    let name = AdministrationUsers.text(page.query["name"], limit: 256)
    let before = page.query["before"].flatMap(Double.init).flatMap {
      $0.isFinite && $0 > 0 ? Date(timeIntervalSince1970: $0) : nil
    }
    var fields: [String: PageValue] = [
      "name": .text(name), "signInsLink": .link(page.link(["admin", "signins"])), "findings": .none,
      "isOfName": .flag(!name.isEmpty), "pages": .none,
    ]
    let attempts = try await attempts(of: name, before: before, page)
    if name.isEmpty {
      let next = attempts.count == Self.pageSize ? attempts.last?.latest : nil
      fields["pages"] = page.pages(
        of: ["admin", "signins"], isFirst: before == nil,
        next: next.map { ("before", String($0.timeIntervalSince1970)) })
    } else {
      fields["findings"] = .list(try await findings(name, attempts, page))
      fields["heading"] = .text(page.texts["admin.whyHeading", ["name": name]])
    }
    // Earlier pages stay as they are.
    fields["live"] =
      before == nil
      ? [
        "activityLink": .link(page.link(["admin", "activity"], [("name", name.isEmpty ? nil : name)])),
        "moduleLink": .link(PageLink(root: page.visit.root, path: ["assets", "activity.js"])),
        "againLink": .link(page.visit.link(to: page.visit.realm, with: [])),
        "mark": .text(ActivityMark(attempts, fields["findings"]).text),
        "working": .text(page.texts["admin.live"]), "every": .text(String(Self.askingInterval)),
        "most": .text(String(Self.pageSize)),
      ] : PageValue.none
    fields["attempts"] = .list(attempts.map { row($0, page) })
    fields["isEmpty"] = .flag(attempts.isEmpty)
    return try page.administration(
      .adminSignIns, .signIns, title: page.texts["admin.signIns"], fields)
  }

  /// One page of the latest runs, of a name or, if it is empty, of the realm.
  func attempts(of name: String, before: Date? = nil, _ page: PageContext) async throws -> [SignInAttempt] {
    guard name.isEmpty else {
      return try await administration.store.attempts(
        of: UniversalID(username: name, realm: page.realm), limit: Self.pageSize)
    }
    return try await administration.store.attempts(
      realm: page.realm, before: before ?? .distantFuture, limit: Self.pageSize)
  }

  /// What keeps the name from signing in, as far as the server knows, in plain words.
  func findings(
    _ name: String, _ attempts: [SignInAttempt], _ page: PageContext
  ) async throws -> [PageValue] {
    let texts = page.texts
    var found: [(String, Bool)] = []
    let user = LoginName.isPossible(name) ? try await store.user(named: name, realm: page.realm) : nil
    if let user {
      if !user.isActive { found.append((texts["admin.findingInactive"], true)) }
      let locks = try await store.locks(
        usernames: [user.username], realm: page.realm, now: page.now)[user.username]
      if let until = locks?.guesses {
        found.append((texts["admin.findingLocked", ["time": texts.time(until)]], true))
      }
      if let until = locks?.signatures {
        found.append((texts["admin.findingSignaturesLocked", ["time": texts.time(until)]], true))
      }
      if user.passwordHash == nil { found.append((texts["admin.findingNoPassword"], false)) }
      if let expiry = user.passwordExpiry, expiry <= page.now {
        found.append((texts["admin.findingPasswordExpired", ["time": texts.time(expiry)]], true))
      }
      if user.mustChangePassword { found.append((texts["admin.findingMustChange"], false)) }
    } else {
      found.append((texts["admin.findingNoAccount"], true))
    }
    switch attempts.first {
    case nil: found.append((texts["admin.findingNoAttempts"], false))
    case let last? where last.state == .failure:
      found.append((Self.refusal(last, texts), true))
    case let last? where last.state == .open:
      found.append(
        (texts["admin.findingLeft", ["node": last.last?.name ?? "?", "journey": last.journey]], false))
    default: found.append((texts["admin.findingWorked"], false))
    }
    return found.map { ["text": .text($0.0), "isBad": .flag($0.1)] }
  }

  /// The reason of a refusal, if the node's type tells it; else the node's outcome.
  private static func refusal(_ attempt: SignInAttempt, _ texts: Texts) -> String {
    let node = attempt.last
    let reasons = [
      "DataStoreDecisionNode": "admin.refusedPassword", "IdentityStoreDecisionNode": "admin.refusedPassword",
      "DeviceSigningVerifierNode": "admin.refusedSignature", "OathTokenVerifierNode": "admin.refusedCode",
      "OneTimePasswordCollectorDecisionNode": "admin.refusedCode",
      "RecoveryCodeCollectorDecisionNode": "admin.refusedCode",
      "PushResultVerifierNode": "admin.refusedPush", "WebAuthnAuthenticationNode": "admin.refusedPasskey",
      "AccountActiveDecisionNode": "admin.refusedInactive",
    ]
    var values = ["node": node?.name ?? "?", "journey": attempt.journey]
    guard let type = node?.type, let reason = reasons[type] else {
      values["type"] = node?.type ?? "?"
      values["outcome"] = word(node?.outcome, texts)
      return texts["admin.findingRefused", values]
    }
    values["why"] = texts[reason]
    return texts["admin.findingRefusedBy", values]
  }

  func row(_ attempt: SignInAttempt, _ page: PageContext) -> PageValue {
    let (word, kind) = Self.state(of: attempt, page.texts)
    return [
      "run": .text(attempt.run), "version": .text(ActivityMark.version(of: attempt)),
      "at": .text(String(ActivityMark.moment(of: attempt))),
      "time": page.time(attempt.latest), "journey": .text(attempt.journey),
      "account": .optional(attempt.account), "state": .text(word), "kind": .text(kind),
      "attemptLink": .link(page.link(["admin", "signins", attempt.run])),
      "accountLink": attempt.account.map { .link(page.link(["admin", "signins"], [("name", $0)])) } ?? .none,
      "steps": .list(attempt.steps.suffix(Self.shownSteps).map { Self.step($0, page.texts) }),
      "hasMore": .flag(attempt.steps.count > Self.shownSteps), "reason": .optional(attempt.reason),
    ]
  }

  static func state(of attempt: SignInAttempt, _ texts: Texts) -> (word: String, kind: String) {
    switch attempt.state {
    case .success: (texts["admin.stateSuccess"], "good")
    case .failure: (texts["admin.stateFailure"], "bad")
    case .open: (texts["admin.stateOpen"], "warn")
    }
  }

  private static func word(_ outcome: String?, _ texts: Texts) -> String {
    switch outcome {
    case nil: texts["admin.couldNotWork"]
    case SignInAttempt.Step.asked?: texts["admin.asked"]
    case let outcome?: outcome
    }
  }

  private static func step(_ step: SignInAttempt.Step, _ texts: Texts) -> PageValue {
    return [
      "node": .text(step.name), "type": .text(step.type), "outcome": .text(word(step.outcome, texts)),
      "isFault": .flag(step.outcome == nil),
    ]
  }

  private func show(_ page: PageContext) async throws -> Response {
    await administration.activity.store(everything: true)
    guard let attempt = try await administration.store.attempt(run: page.parameter("id"), realm: page.realm)
    else { throw ErrorResponse.notFound("There is no such sign-in.") }
    let (word, kind) = Self.state(of: attempt, page.texts)
    let picture = JourneyPicture(
      journey: attempt.journey, in: page, scale: 100, counts: nil, run: attempt)
    return try page.administration(
      .adminSignIn, .signIns, title: page.texts["admin.signIn"],
      [
        "began": page.time(attempt.startedAt), "time": page.time(attempt.latest),
        "journey": .text(attempt.journey), "account": .optional(attempt.account), "state": .text(word),
        "kind": .text(kind), "reason": .optional(attempt.reason), "run": .text(attempt.run),
        "steps": .list(attempt.steps.map { Self.step($0, page.texts) }),
        "graph": picture?.fields ?? .none,
        "signInsLink": .link(page.link(["admin", "signins"])),
        "accountLink": attempt.account.map { .link(page.link(["admin", "signins"], [("name", $0)])) }
          ?? .none,
        "journeyLink": .link(page.link(["admin", "journeys", attempt.journey])),
      ])
  }
}
