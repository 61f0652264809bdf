import Concurrency
import PingCommons
import PingOath
import PingPush
import TerminalPrompts
import WebAddresses

/// Answers a journey's questions for one-time codes, and accepts the enrolments that it offers.
///
/// The person decides whether this device is enrolled; where nobody can be asked, running the journey counts as consent. A code opens an
/// account, so a server gets one without a question only if it enrolled the credential itself, or if the person named the credential on
/// the command line.
struct OathAnswers: Sendable {
  let server: ServerOptions
  let username: String?
  /// The credential named by the person.
  let named: String?

  private struct State {
    /// What this journey enrolled, the latest last. A server may offer as many as it likes.
    var enrolled: [DeviceEnrolment] = []
    /// The credential whose code was given to the server last.
    var given: String?
    /// Whether the person enrols another authenticator, and types its codes.
    var isElsewhere = false
  }

  private let state = Locked(State())

  /// The most enrolments of one journey, which stay if the server says that it succeeded. None needs so many.
  private static let mostEnrolments = 5

  /// The server's address with the realm.
  private var place: String { "\(server.baseAddress) \(server.realm)" }

  /// Accepts an enrolment for codes, or shows it for another authenticator. Leaves an enrolment for push only to `sealring push`.
  func take(enrolment uri: String) async throws {
    guard let scheme = UriScheme.from(urlString: uri), scheme != .pushauth else {
      throw JourneyPlayer.offersEnrolment
    }
    guard state.withLock({ $0.enrolled.count }) < Self.mostEnrolments else {
      throw CommandFailure.unsupported(
        "The server offers more than \(Self.mostEnrolments) enrolments in one journey.")
    }
    switch await Terminal.controlling.askYesNo("Enrol this device?") {
    case .yes, .unavailable: break
    case .no:
      state.withLock { $0.isElsewhere = true }
      return EnrolmentDisplay.show(uri)
    case .cancelled: throw CommandFailure.cancelled(because: "nothing was enrolled")
    }
    // The journey's server must not enrol this device with another server, such as a program on this machine.
    if scheme == .mfauth, let other = try? await PushCredential.fromUri(uri).serverEndpoint,
      WebOrigin(address: other) == nil || WebOrigin(address: other) != WebOrigin(address: server.baseAddress)
    {
      throw CommandFailure.forbidden(
        "The server offers an enrolment at another address, \(printable(other)). If you know it, show the code with `sealring push "
          + "qr` and take it with `sealring oath add`; else use the server's own address for --server."
      )
    }
    let new = try await DeviceEnrolment.add(
      uri, schemes: [.otpauth, .mfauth], enrolledBy: place, isUnproven: true, options: server.pushOptions)
    state.withLock { $0.enrolled.append(new) }
    Output.remark(new.summary)
  }

  /// Confirms the credentials if the server accepted a code. Deletes all new ones if the server refused their code or never got one. If the
  /// answer is unknown, the latest one stays unproven, because the server may have accepted it. So does the latest one with push, of which the
  /// server has this device's answer.
  func end(_ proof: CodeProof) async {
    let (enrolled, given) = state.withLock { ($0.enrolled, $0.given) }
    do {
      guard proof != .accepted else {
        for id in Set((enrolled.map(\.codes?.id) + [given]).compactMap(\.self)) {
          try await OathClients.with { try await $0.confirmCredential(id) }
        }
        return
      }
      let kept = Set(
        [enrolled.lastIndex { $0.push != nil }, proof == .unknown ? enrolled.indices.last : nil]
          .compactMap(\.self))
      var isDeleted = false
      for (index, enrolment) in enrolled.enumerated() {
        if kept.contains(index) {
          Output.remark(enrolment.reasonToKeep)
        } else if try await enrolment.delete(options: server.pushOptions) {
          isDeleted = true
        }
      }
      if isDeleted, kept.isEmpty { Output.remark("The enrolment failed: its credential is not kept.") }
    } catch {
      Output.remark(CommandFailure.of(error).description)
    }
  }

  /// A code for the server; `nil` when the person must type one.
  func code(_ prompt: String) async throws -> String? {
    guard !state.withLock({ $0.isElsewhere }) else { return nil }
    return try await OathClients.with { client in
      guard let credential = try await credential(prompt, client) else { return nil }
      let info = try await client.takeCode(credential.id) { seconds in
        Output.remark(
          "The server was given this code already and accepts each code once. The next one comes in \(seconds) s."
        )
        try await Task.sleep(for: .seconds(seconds))
      }
      guard let info else {
        throw CommandFailure.unsupported("There is no new code: this machine's clock has stopped.")
      }
      state.withLock { $0.given = credential.id }
      Output.remark("Gave the server a code of \(printable(credential.displayName)).")
      return info.code
    }
  }

  private func credential(_ prompt: String, _ client: OathClient) async throws -> OathCredential? {
    if let named { return try await client.named(named) }
    let all = try await client.getCredentials()
    if let id = state.withLock({ $0.enrolled.last { $0.codes != nil } })?.codes?.id,
      let new = all.first(where: { $0.id == id })
    {
      return new
    }
    let mine = all.filter {
      !$0.isLocked && (username == nil || $0.accountName == username || $0.userId == username)
    }
    let known = mine.filter { $0.enrolledBy == place }
    if known.count == 1 { return known.first }
    guard let only = mine.first, mine.count == 1 else {
      if !mine.isEmpty {
        Output.remark("\(mine.count) credentials could make a code; choose one with --oath.")
      }
      return nil
    }
    // The credential may belong to another service: its code would open that account to the operator of this server.
    let facts = TerminalText.rows([("Server", place), ("Credential", only.displayName)])
    switch await Terminal.controlling.askYesNo(
      "A journey asks for a one-time code.\n\(facts)Give the server one")
    {
    case .yes: return only
    case .no: return nil
    case .cancelled: throw CommandFailure.cancelled(because: "no code was given")
    case .unavailable(let reason):
      throw CommandFailure.nobodyToAsk(
        "The journey asks for a code (\(printable(prompt)))", reason, "Name the credential with --oath.")
    }
  }
}

extension DeviceEnrolment {
  /// Why a journey that did not succeed leaves it on this device.
  fileprivate var reasonToKeep: String {
    guard let push else {
      return "Credential \(codes?.id ?? "") is kept as not proven: the server may have taken it.\n"
        + "The next enrolment replaces it."
    }
    return "Push credential \(push.id) is kept: the server has this device's answer.\n"
      + "If the account does not have the device, delete it with `sealring push credentials delete`."
  }

  /// Deletes the credentials; codes without push only if the server has not accepted one meanwhile. Returns whether any was deleted.
  fileprivate func delete(options: PushOptions) async throws -> Bool {
    if let push { _ = try await options.withClient { try await $0.deleteCredential(push.id) } }
    guard let codes else { return push != nil }
    return try await OathClients.with { client in
      guard try await client.getCredential(codes.id)?.isUnproven == true || push != nil else { return false }
      return try await client.deleteCredential(codes.id)
    }
  }
}
