internal import StrictJSON

/// One step of a test: an action, and the expectation after it.
struct ScriptStep: Sendable {
  enum Action: Sendable {
    /// Begins a journey, in a new browser unless it is named.
    case start(Start)

    /// Answers the callbacks and sends them.
    case answer([Answer])

    /// Lets a device bind, sign, or register or use a passkey, as the step asks, and sends the step.
    case device(DeviceUse)

    /// Enrols a device with the step's enrolment: for codes, for push messages, or both.
    case enrol(device: String, name: String?)

    /// Lets a device answer its push message.
    case push(PushUse)

    /// Reads the newest mail, and follows its link if requested.
    case mail(Mail)

    /// Continues a suspended journey with its link.
    case resume(String, browser: String?)

    /// Moves the clock by this many seconds.
    case wait(Double)

    /// Sends the next requests to this server, counted from 1.
    case server(Int)

    /// Continues the journey of another window; a new window is empty.
    case window(String)

    /// Stores parts of the step, for use as `${name}`.
    case keep([(name: String, text: String)])

    /// Stores texts, for use as `${name}`.
    case set([(name: String, text: String)])

    /// Removes an account's devices as an administrator.
    case remove(Removal)

    /// Reads an account as an administrator.
    case account(String)

    /// Changes an account as an administrator.
    case change(String, JSONObject)

    /// Only checks the expectation.
    case look

    /// Whether the step may visit nodes.
    var advancesJourney: Bool {
      switch self {
      case .start, .answer, .device, .mail, .resume: true
      case .enrol, .push, .wait, .server, .window, .keep, .set, .remove, .account, .change, .look: false
      }
    }
  }

  struct Start: Sendable {
    var journey: String
    var browser: String?
    var headers: [(name: String, text: String)] = []
    var forceAuth = false
    var noSession = false
    var locale: String?

    /// The transaction to approve, instead of a journey.
    var transaction: JSONObject?
  }

  /// An answer, and the callback that it is for.
  struct Answer: Sendable {
    /// Prompt, type or number of the callback; `nil` for the next one that takes an answer.
    var callback: String?
    var value: ScriptValue
  }

  struct DeviceUse: Sendable {
    var device: String
    var pin: String?
    var name: String?
    var claims: [String: String] = [:]

    /// The user's answers on the same page.
    var answers: [Answer] = []

    /// A mistake or attack; `nil` for none.
    var fault: Fault?

    enum Fault: Sendable, Hashable {
      /// The person closes the prompt.
      case cancels
      /// The app reports this `clientError`, whatever the device could do.
      case reports(String)
      /// An attacker changes the proof.
      case forges
    }
  }

  struct PushUse: Sendable {
    enum Answer: Sendable, Hashable {
      /// Approves with the number or code on the page, if there is one.
      case approve
      case deny
      /// Answers with this number or code, whatever the page shows.
      case number(String)
    }

    var device: String
    var answer: Answer
  }

  struct Removal: Sendable {
    var account: String

    /// `binding`, `oath`, `push` or `webauthn`.
    var kind: String

    /// The device's name; `nil` for all.
    var name: String?
  }

  struct Mail: Sendable {
    var to: String?
    var subject: ScriptValue?
    var text: ScriptValue?
    var follows: Bool
    var keeps: [(name: String, text: String)] = []
  }

  var action: Action
  var expectation: Expectation?
  var line: Int

  /// The step's title in the report.
  var title: String

  private static let actions = [
    "start", "transaction", "answer", "send", "device", "enrol", "push", "mail", "resume", "wait", "server",
    "window",
    "keep", "set", "remove", "account", "change",
  ]

  init(_ value: ScriptValue) throws(ScriptError) {
    line = value.line
    // `- send` is short for `- send: {}`.
    if value.text == "send" {
      (action, title) = (.answer([]), "send")
      return
    }
    guard let members = value.map, !members.isEmpty else {
      throw ScriptError(
        "A step is one of \(Self.actions.joined(separator: ", ")), or expect.", line: value.line)
    }
    let found = members.filter { Self.actions.contains($0.name) }
    guard found.count <= 1 else {
      throw ScriptError(
        "A step does one thing, and this one does several: \(found.map(\.name).joined(separator: ", ")). Write a line with - for each.",
        line: value.line)
    }
    if let unknown = members.first(where: { $0.name != "expect" && !Self.actions.contains($0.name) }) {
      throw ScriptError(
        "There is no step \(unknown.name). Steps are \(Self.actions.joined(separator: ", ")), and expect.",
        line: unknown.value.line)
    }
    expectation = try value["expect"].map { value throws(ScriptError) in try Expectation(value) }
    guard let given = found.first else {
      (action, title) = (.look, "expect")
      return
    }
    action = try Self.action(given.name, given.value)
    title = "\(given.name)\(given.value.text.map { " \($0)" } ?? "")"
  }

  private static func action(_ name: String, _ value: ScriptValue) throws(ScriptError) -> Action {
    switch name {
    case "start": return .start(try start(value))
    case "transaction":
      guard let fields = value["fields"]?.json.objectValue else {
        throw ScriptError(
          "transaction needs fields, such as {amount: 42.00, currency: EUR, payee: Bakery}.", line: value.line
        )
      }
      var start = Start(
        journey: value["journey"]?.text ?? "ApproveTransaction", browser: value["browser"]?.text)
      start.transaction = fields
      return .start(start)
    case "send": return .answer([])
    case "answer": return .answer(try answers(value))
    case "device": return .device(try deviceUse(value))
    case "enrol":
      if let device = value.text { return .enrol(device: device, name: nil) }
      _ = try value.requiredMap("enrol", members: ["device", "name"])
      return .enrol(
        device: try value["device"]?.requiredText("device") ?? "device", name: value["name"]?.text)
    case "push": return .push(try pushUse(value))
    case "mail": return .mail(try mail(value))
    case "resume":
      if let link = value.text { return .resume(link, browser: nil) }
      _ = try value.requiredMap("resume", members: ["link", "browser"])
      return .resume(try value["link"]?.requiredText("link") ?? "${link}", browser: value["browser"]?.text)
    case "wait": return .wait(try value.requiredSeconds("wait"))
    case "server":
      guard let number = value.integer, number >= 1 else {
        throw ScriptError("server has to be the number of a server, counted from 1.", line: value.line)
      }
      return .server(number)
    case "window": return .window(try value.requiredText("window"))
    case "keep": return .keep(try value.requiredTexts("keep", each: "What to keep"))
    case "set": return .set(try value.requiredTexts("keep", each: "What to keep"))
    case "remove":
      _ = try value.requiredMap("remove", members: ["account", "kind", "name"])
      guard let account = value["account"]?.text, let kind = value["kind"]?.text,
        ["binding", "oath", "push", "webauthn"].contains(kind)
      else {
        throw ScriptError(
          "remove needs account, and kind: binding, oath, push or webauthn.", line: value.line)
      }
      return .remove(Removal(account: account, kind: kind, name: value["name"]?.text))
    case "account": return .account(try value.requiredText("account"))
    case "change":
      guard let user = value["account"]?.text, let set = value["set"]?.json.objectValue else {
        throw ScriptError("change needs account, and set with the new values.", line: value.line)
      }
      return .change(user, set)
    default: return .look
    }
  }

  private static func start(_ value: ScriptValue) throws(ScriptError) -> Start {
    if let name = value.text { return Start(journey: name) }
    _ = try value.requiredMap(
      "start", members: ["journey", "browser", "headers", "forceAuth", "noSession", "locale"])
    guard let name = value["journey"]?.text else {
      throw ScriptError("start needs the name of a journey.", line: value.line)
    }
    var start = Start(journey: name, browser: value["browser"]?.text)
    start.headers = try value["headers"]?.requiredTexts("headers", each: "A header") ?? []
    start.forceAuth = value["forceAuth"]?.bool ?? false
    start.noSession = value["noSession"]?.bool ?? false
    start.locale = value["locale"]?.text
    return start
  }

  private static func answers(_ value: ScriptValue) throws(ScriptError) -> [Answer] {
    if let list = value.list { return list.map { Answer(callback: nil, value: $0) } }
    if let map = value.map { return map.map { Answer(callback: $0.name, value: $0.value) } }
    return value.isNull ? [] : [Answer(callback: nil, value: value)]
  }

  private static func deviceUse(_ value: ScriptValue) throws(ScriptError) -> DeviceUse {
    if let device = value.text { return DeviceUse(device: device) }
    _ = try value.requiredMap("device", members: ["use", "pin", "name", "claims", "answer", "fault"])
    var use = DeviceUse(device: try value["use"]?.requiredText("use") ?? "device")
    use.pin = try value["pin"]?.requiredText("pin")
    use.name = try value["name"]?.requiredText("name")
    for claim in try value["claims"]?.requiredTexts("claims", each: "A claim") ?? [] {
      use.claims[claim.name] = claim.text
    }
    if let answer = value["answer"] { use.answers = try answers(answer) }
    switch value["fault"]?.text {
    case nil: break
    case "cancels": use.fault = .cancels
    case "forges": use.fault = .forges
    case let report?: use.fault = .reports(report)
    }
    return use
  }

  private static func pushUse(_ value: ScriptValue) throws(ScriptError) -> PushUse {
    if let text = value.text { return PushUse(device: "device", answer: answer(text)) }
    _ = try value.requiredMap("push", members: ["device", "answer"])
    let device = value["device"]?.text ?? "device"
    return PushUse(device: device, answer: answer(value["answer"]?.text))
  }

  private static func answer(_ text: String?) -> PushUse.Answer {
    switch text {
    case nil, "approve": .approve
    case "deny": .deny
    case let number?: .number(number)
    }
  }

  private static func mail(_ value: ScriptValue) throws(ScriptError) -> Mail {
    if value.text == "follow" { return Mail(to: nil, follows: true) }
    if value.text == "read" { return Mail(to: nil, follows: false) }
    _ = try value.requiredMap("mail", members: ["to", "subject", "text", "follow", "keep"])
    return Mail(
      to: value["to"]?.text, subject: value["subject"], text: value["text"],
      follows: value["follow"]?.bool ?? false,
      keeps: try value["keep"]?.requiredTexts("keep", each: "What to keep") ?? [])
  }
}
