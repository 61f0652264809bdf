import Agent
import Bytes
import DeviceKeys
import Foundation
import JOSE
import PingOrchestrate
import PrivateFiles
import SSHFormats
import StrictJSON

/// Has a key of this device certified by the realm's authority, when its kept certificate is not good enough.
struct Certification {
  /// What a person is there for.
  struct Person {
    let secrets: Secrets
    /// Instead of the realm's.
    let journey: String?
    /// Whether what is kept will not do.
    let wantsNew: Bool
  }

  /// The session is not enough; the journey that is.
  private struct SignInAgain: Error {
    let refusal: CommandFailure
    let journey: String?
  }

  /// What to run where nobody was to be asked.
  static let advice = "sealring ssh login"

  let options: CertificateOptions
  let key: SSHKey
  /// `nil` when nobody is to be asked.
  let person: Person?
  let clock: @Sendable () -> Date = { Date() }

  private let certificates = SSHCertificates.ofThisDevice
  private var server: ServerOptions { options.server }

  /// A certificate that is good for at least a minute, or a third of its life where that is shorter.
  func certificate() async throws -> SSHCertificate {
    let authority: PresentedAuthority
    do { authority = try await .of(server) } catch let failure as CommandFailure
      where failure.code == .unreachable
    {
      // Hosts need no server for what is still good.
      guard let kept = try kept(nil) else { throw failure }
      return kept
    }
    if let kept = try kept(authority) { return kept }
    let attestable = try await attestable(authority)
    var journey = person?.journey ?? authority.journey
    var refusal = CommandFailure.expired(
      "There is no session at \(printable(server.baseAddress)), realm \(printable(server.realm)).")
    if let token = await server.signedInToken(of: options.account) {
      do { return try await certified(by: token, authority, attestable) } catch let again as SignInAgain {
        (refusal, journey) = (again.refusal, person?.journey ?? again.journey ?? journey)
      }
    }
    guard let person else {
      throw CommandFailure(
        "\(refusal.description) Somebody has to sign in: \(Self.advice)", code: refusal.code)
    }
    let token = try await signIn(by: journey ?? "Login", person)
    do { return try await certified(by: token, authority, attestable) } catch let again as SignInAgain {
      throw again.refusal
    }
  }

  /// The certificate that is kept, if it is good enough: by that authority, when it could be asked.
  private func kept(_ authority: PresentedAuthority?) throws -> SSHCertificate? {
    guard person?.wantsNew != true, let kept = try certificates.certificate(of: key),
      authority?.hasSigned(kept) ?? true
    else { return nil }
    let (now, life) = (UInt64(max(0, clock().timeIntervalSince1970)), kept.contents.validity)
    let least = min(60, (life.upperBound - life.lowerBound) / 3)
    let isEnough = kept.isValid(at: now) && life.upperBound - now > least
    let isForThem =
      options.principal.isEmpty || Set(kept.contents.principals) == Set(options.principal)
    return isEnough && isForThem ? kept : nil
  }

  /// Signs in, and keeps the session so that later certificates need no question while it lasts.
  private func signIn(by journey: String, _ person: Person) async throws -> String {
    let player = try options.device.player(at: server, for: options.account, secrets: person.secrets)
    let token = try await player.token(by: journey)
    _ = try await server.keepSession(token, of: options.account ?? "")
    return token
  }

  /// One after the other, so that commands that run side by side ask the server once.
  private func certified(
    by token: String, _ authority: PresentedAuthority, _ attestable: (any AttestableDeviceKey)?
  ) async throws -> SSHCertificate {
    let folder = try ClientHome.standard.folder(SSHCommand.folder)
    return try await FileLock(file: folder.appending(path: ".certificates.lock")).withLock {
      if let kept = try kept(authority) { return kept }
      let client = AdministrationClient(server: server, token: token)
      let challenge = try await client.attempt("ssh?_action=challenge")
      if let refusal = challenge.refusal { throw again(challenge.answer, refusal) }
      var body: JSONObject = ["publicKey": .string(key.line)]
      body["challenge"] = challenge.answer["challenge"]
      if !options.principal.isEmpty { body["principals"] = .array(options.principal.map { .string($0) }) }
      if let attestable { body["attestation"] = try await attestation(attestable, challenge.answer) }
      let (answer, refusal) = try await client.attempt("ssh?_action=certify", body)
      if let refusal { throw again(answer, refusal) }
      // Whoever signed the last one: a server that presents another authority than before must not be the way to other accounts.
      let earlier = person == nil ? try certificates.certificate(of: key) : nil
      let certificate = try issued(answer, by: authority, known: earlier?.contents.principals)
      try certificates.keep(certificate, of: key)
      return certificate
    }
  }

  /// What a refusal asks for, if signing in would change it.
  private func again(_ answer: JSONValue, _ refusal: CommandFailure) -> any Error {
    let detail = answer["detail"]
    guard refusal.code == .refused || refusal.code == .forbidden && detail?["authLevel"] != nil else {
      return refusal
    }
    return SignInAgain(refusal: refusal, journey: detail?["journey"]?.stringValue)
  }

  // MARK: Attestation

  /// The key, unlocked so that its hardware can attest it; `nil` where the realm does not want that.
  private func attestable(_ authority: PresentedAuthority) async throws -> (any AttestableDeviceKey)? {
    guard authority.requiresAttestation else { return nil }
    let wanted = "The realm certifies only keys that a TPM attests"
    guard key.publicKey.application == nil else {
      throw CommandFailure.unsupported(
        "\(wanted), and \(key.name) is a security key. Name another with --key.")
    }
    guard !key.hasPIN || person != nil else {
      throw CommandFailure.forbidden(
        "\(wanted), and for that the chip needs the key's PIN. Somebody has to be asked: \(Self.advice)")
    }
    let store = try options.device.chip.sshKeyStore()
    let unlock = try await key.hasPIN ? KeyUnlock.pin(pin()) : .nothing
    guard
      let attestable = try await store.openKey(tag: key.stored.tag, unlock: unlock)
        as? any AttestableDeviceKey
    else {
      throw CommandFailure.unsupported(
        "\(wanted), and \(key.name) is in the store '\(key.stored.kind.rawValue)'. Make one with `sealring ssh key add NAME --store tpm`."
      )
    }
    return attestable
  }

  private func pin() async throws -> PIN {
    if let given = person?.secrets.givenPIN { return PIN(given) }
    guard let typed = try await HiddenPrompt.ask("PIN of key \(key.name), so that the chip attests it: ")
    else {
      throw CommandFailure.cancelled("No PIN was entered, and the key was not certified.")
    }
    return PIN(typed)
  }

  private func attestation(_ key: any AttestableDeviceKey, _ answer: JSONValue) async throws -> JSONValue {
    guard let challenge = answer["challenge"]?.stringValue.flatMap({ PaddedBase64.decode($0) }),
      !challenge.isEmpty
    else { throw CommandFailure.unsupported("The server's challenge is not valid Base64.") }
    var jwk = key.publicKey.json
    jwk.merge(try await key.attestation(challenge: challenge).jwkMembers)
    return .object(jwk)
  }
}
