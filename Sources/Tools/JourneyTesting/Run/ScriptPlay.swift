internal import BindingFormats
internal import Concurrency
internal import Foundation
internal import PingJourney
internal import PingJourneyPlugin
internal import PingNetwork
internal import PingOrchestrate
internal import SealringTesting
internal import StrictJSON

/// Plays the steps of one test on servers in this process.
struct ScriptPlay {
  let script: JourneyScript
  /// The server that journeys run on, unless a step chooses another.
  let server: TestServer
  let servers: [TestServer]
  let recorder: RunRecorder
  let folder: URL

  private let target: Locked<String>
  private var browsers: [String: Browser] = [:]
  private var devices: [String: ScriptedDevice] = [:]
  private var node: (any Node)?
  private var observed = Observation()
  private var window = "first"
  private var windows: [String: (node: (any Node)?, observed: Observation)] = [:]
  private var values: [String: String] = [:]
  private var mails: ReceivedMail
  private var application: TestApplication?

  private var clock: TestClock { server.clock }

  init(
    script: JourneyScript, server: TestServer, servers: [TestServer], recorder: RunRecorder, folder: URL
  ) {
    (self.script, self.server, self.servers) = (script, server, servers)
    (self.recorder, self.folder) = (recorder, folder)
    target = Locked(server.address)
    mails = ReceivedMail(folder: folder)
  }

  /// Plays all steps; returns `nil` when all expectations were met.
  mutating func play(_ test: JourneyScript.Test) async -> StepFailure? {
    values = test.values
    for (index, step) in test.steps.enumerated() {
      if step.action.advancesJourney { recorder.beginStep() }
      var problem: String?
      do { try await perform(step.action) } catch { problem = "\(error)" }
      observed.visits = recorder.visits
      observed.log = servers.flatMap(\.log.lines)
      if let problem { return failure(at: index, step, problem, difference: []) }
      if let expectation = step.expectation, let difference = compare(expectation) {
        return failure(at: index, step, "not as expected", difference: difference)
      }
    }
    return nil
  }

  private func failure(
    at index: Int, _ step: ScriptStep, _ reason: String, difference: [String]
  ) -> StepFailure {
    StepFailure(
      step: index + 1, line: step.line, title: step.title, reason: reason, difference: difference,
      came: observed.summary, visited: observed.visits.map(\.text),
      // Only reasons of nodes and the server are shown, not their input.
      log: observed.ending == .failure
        ? observed.log.filter { $0.contains("Login failure") || $0.contains("node=") }.suffix(3) : [])
  }

  private func compare(_ expectation: Expectation) -> [String]? {
    var comparison = Comparison(values: values)
    if let ending = expectation.ending {
      comparison.add("outcome", ending.rawValue, observed.ending?.rawValue ?? "nothing yet")
    }
    for fact in expectation.facts {
      if fact.name == "log" {
        comparison.addLine("log", fact.value, among: observed.log)
      } else {
        comparison.add(fact.name, fact.value, observed.fact(fact.name))
      }
    }
    return comparison.isEqual ? nil : comparison.lines
  }

  // MARK: The steps

  private mutating func perform(_ action: ScriptStep.Action) async throws {
    switch action {
    case .start(let start): try await begin(start)
    case .answer(let answers):
      let step = try currentStep()
      try CallbackAnswers(step: step, values: named()).give(answers)
      if answers.contains(where: { $0.value.text?.contains("${code") == true }) {
        for device in devices.values { device.oath.advance() }
      }
      see(await step.next())
    case .device(let use): try await perform(use)
    case .enrol(let name, let deviceName): try await enrol(name, deviceName)
    case .push(let use):
      try await device(use.device).push.answer(
        substituted(use.answer), shown: observed.hidden("pushChallengeNumber"), at: clock.now)
    case .mail(let mail): try await read(mail)
    case .resume(let link, let browser): try await resume(substituted(link), in: browser)
    case .wait(let seconds): clock.advance(by: seconds)
    case .server(let number):
      guard servers.indices.contains(number - 1) else {
        throw ScriptFailure("there is no server \(number): write `servers: \(number)` at the top of the file")
      }
      let address = servers[number - 1].address
      target.withLock { $0 = address }
    case .window(let name):
      windows[window] = (node, observed)
      window = name
      (node, observed) = windows[name] ?? (nil, Observation())
    case .keep(let keeps):
      for keep in keeps { values[keep.name] = try found(keep.text) }
    case .set(let texts):
      for text in texts { values[text.name] = substituted(text.text) }
    case .remove(let removal): try await remove(removal)
    case .account(let name): observed.account = try await account(substituted(name))
    case .change(let name, let set): try await change(substituted(name), set)
    case .look: break
    }
  }

  private mutating func see(_ node: any Node) {
    self.node = node
    observed = Observation(node)
  }

  private func currentStep() throws -> ContinueNode {
    guard let step = node as? ContinueNode else {
      throw ScriptFailure("the journey asks nothing (\(observed.summary)), so nothing can be answered")
    }
    return step
  }

  private mutating func begin(_ start: ScriptStep.Start) async throws {
    let browser = browser(start.browser)
    let headers = start.headers.map { (name: $0.name, value: substituted($0.text)) }
    let journey = browser.journey(headers: headers, locale: start.locale)
    if let fields = start.transaction {
      let id = try await transaction(fields, journey: start.journey)
      values["transaction"] = id
      return see(await journey.start(transaction: id))
    }
    see(
      await journey.start(substituted(start.journey)) {
        $0.forceAuth = start.forceAuth
        $0.noSession = start.noSession
      })
  }

  private mutating func resume(_ link: String, in browserName: String?) async throws {
    guard let url = URL(string: link) else { throw ScriptFailure("\(link) is not a link") }
    see(await browser(browserName).journey(headers: [], locale: nil).resume(url))
  }

  /// The browser with this name; a new one for `nil`.
  private mutating func browser(_ name: String?) -> Browser {
    if let name, let browser = browsers[name] { return browser }
    let browser = Browser(at: server, realm: script.realm, target: target)
    if let name { browsers[name] = browser }
    return browser
  }

  // MARK: Devices

  private mutating func device(_ name: String) throws -> ScriptedDevice {
    if let device = devices[name] { return device }
    let place = folder.appending(path: "device-\(devices.count)")
    let device = ScriptedDevice(folder: place)
    devices[name] = device
    return device
  }

  private mutating func perform(_ use: ScriptStep.DeviceUse) async throws {
    let (step, device) = (try currentStep(), try device(use.device))
    if !use.answers.isEmpty { try CallbackAnswers(step: step, values: named()).give(use.answers) }
    var hasAnswered = false
    for callback in step.callbacks where await device.answer(callback, as: use, clock: clock) {
      hasAnswered = true
    }
    guard hasAnswered else {
      throw ScriptFailure("nothing in this step is for a device: it \(observed.summary)")
    }
    see(await step.next())
  }

  private mutating func enrol(_ name: String, _ deviceName: String?) async throws {
    guard let uri = observed.hidden("mfaDeviceRegistration") else {
      throw ScriptFailure("the step offers no enrolment: it \(observed.summary)")
    }
    let device = try device(name)
    if !uri.hasPrefix("pushauth") { try device.oath.enrol(uri) }
    if !uri.hasPrefix("otpauth") { try await device.push.enrol(uri, name: deviceName) }
  }

  // MARK: Mail

  private mutating func read(_ mail: ScriptStep.Mail) async throws {
    let message = try await mails.next(to: mail.to.map(substituted))
    var comparison = Comparison(values: named())
    if let subject = mail.subject { comparison.add("subject", subject, .string(message.subject)) }
    if let text = mail.text { comparison.add("text", text, .string(message.text)) }
    guard comparison.isEqual else {
      throw ScriptFailure((["the mail is not as expected"] + comparison.lines).joined(separator: "\n"))
    }
    values["link"] = message.link
    for keep in mail.keeps { values[keep.name] = try Self.match(keep.text, in: message.text) }
    guard mail.follows else { return }
    guard let link = message.link else { throw ScriptFailure("the mail has no link:\n\(message.text)") }
    try await resume(link, in: nil)
  }

  // MARK: Values

  /// All current values for `${name}`.
  private func named() -> [String: String] {
    var values = values
    let codes = devices.compactMapValues { $0.oath.code(at: clock.now) }
    for (name, code) in codes { values["code of \(name)"] = code }
    if codes.count == 1 { values["code"] = codes.first?.value }
    return values
  }

  private func substituted(_ text: String) -> String {
    text.contains("${") ? Substitution.apply(named(), to: text) : text
  }

  private func substituted(_ answer: ScriptStep.PushUse.Answer) -> ScriptStep.PushUse.Answer {
    if case .number(let text) = answer { .number(substituted(text)) } else { answer }
  }

  /// The part of the current step that `source` names: `header`, or a callback's type or prompt, each optionally followed by `/pattern/`.
  private func found(_ source: String) throws -> String {
    let (place, pattern) = Self.divided(source)
    let text: String?
    if let fact = observed.fact(place), place != "callbacks" {
      text = fact.stringValue ?? fact.text
    } else {
      text = observed.callbacks.first {
        $0["type"]?.stringValue == place || CallbackView.mainText(of: $0)?.stringValue == place
      }.flatMap { view in
        (view["message"] ?? view["value"] ?? view["prompt"])?.stringValue
      }
    }
    guard let text else { throw ScriptFailure("there is no \(place) to keep: the step \(observed.summary)") }
    return try pattern.map { try Self.match($0, in: text) } ?? text
  }

  private static func divided(_ source: String) -> (place: String, pattern: String?) {
    guard source.hasSuffix("/"), let slash = source.firstRange(of: " /") else { return (source, nil) }
    return (String(source[..<slash.lowerBound]), String(source[source.index(after: slash.lowerBound)...]))
  }

  /// The match of `/pattern/` in `text`: its first group, or all of it.
  private static func match(_ pattern: String, in text: String) throws -> String {
    guard let expression = try? Regex(String(pattern.dropFirst().dropLast())) else {
      throw ScriptFailure("\(pattern) is not a regular expression")
    }
    guard let match = text.firstMatch(of: expression) else {
      throw ScriptFailure("\(pattern) does not match:\n\(text)")
    }
    let part = match.output.count > 1 ? match.output[1].substring : match.output[0].substring
    return String(part ?? "")
  }

  // MARK: Administration

  private func administrator() async throws -> [String: String] {
    try await LocalHTTP.administrator(at: target.withLock { $0 }, cookieName: server.cookieName)
  }

  private func accountAddress(_ name: String) -> String {
    "\(RealmPath(script.realm).resources(at: target.withLock { $0 }))/users/\(name)"
  }

  private func account(_ name: String) async throws -> JSONValue {
    try await LocalHTTP.send(accountAddress(name), method: .get, headers: try await administrator())
  }

  private func change(_ name: String, _ set: JSONObject) async throws {
    try await LocalHTTP.send(
      accountAddress(name), method: .put, headers: try await administrator(), body: set)
  }

  private func remove(_ removal: ScriptStep.Removal) async throws {
    let (headers, name) = (try await administrator(), substituted(removal.account))
    let place = "\(accountAddress(name))/devices/2fa/\(removal.kind)"
    let list = try await LocalHTTP.send("\(place)?_queryFilter=true", method: .get, headers: headers)
    let chosen = (list["result"]?.arrayValue ?? []).filter {
      removal.name == nil || $0["deviceName"]?.stringValue == removal.name
    }
    guard !chosen.isEmpty else {
      throw ScriptFailure("account \(name) has no such device of kind \(removal.kind)")
    }
    for device in chosen {
      guard let id = (device["_id"] ?? device["uuid"])?.stringValue else { continue }
      try await LocalHTTP.send("\(place)/\(id)", method: .delete, headers: headers)
    }
  }

  /// Registers an application, and lets it request approval.
  private mutating func transaction(_ fields: JSONObject, journey: String) async throws -> String {
    if application == nil {
      application = try await server.addApplication("journey tests", realm: script.realm)
    }
    return try await application?.create(["fields": .object(fields), "journey": .string(journey)])["_id"]?
      .stringValue ?? ""
  }
}
