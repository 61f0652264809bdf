import Agent
import Bytes
import DeviceKeys
import Foundation
import JOSE
import PingOrchestrate
import PrivateFiles
import SSHFormats
import StrictJSON

/// Certifies a key of this device with the realm's authority, unless its kept certificate is good enough.
struct Certification {
  /// A person who can be asked, and what they want.
  struct Person {
    let secrets: Secrets
    /// The PIN of the key to certify; `nil` when it has to be asked for.
    let keyPIN: PIN?
    /// Replaces the realm's journey.
    let journey: String?
    /// Whether to get a new certificate even if the kept one is good.
    let wantsNew: Bool
  }

  /// The session is not sufficient; signing in by `journey` may be.
  private struct SignInAgain: Error {
    let refusal: CommandFailure
    let journey: String?
  }

  /// The command to run when nobody could be asked.
  static let advice = "sealring ssh login"

  let options: CertificateOptions
  let key: SSHKey
  /// `nil` when nobody can be asked.
  let person: Person?

  private let certificates = SSHCertificates.ofThisDevice
  private var server: ServerOptions { options.server }

  /// A certificate that is valid for at least a minute, or a third of its lifetime if that is shorter.
  func certificate() async throws -> SSHCertificate {
    let authority: PresentedAuthority
    do { authority = try await .of(server) } catch let failure as CommandFailure
      where failure.code == .unreachable
    {
      // A valid certificate works without a server.
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

  /// The kept certificate if it is good enough, and signed by `authority` when that is known.
  private func kept(_ authority: PresentedAuthority?) throws -> SSHCertificate? {
    guard person?.wantsNew != true, let kept = try certificates.certificate(of: key),
      authority?.hasSigned(kept) ?? true
    else { return nil }
    let (now, life) = (UInt64(max(0, Date().timeIntervalSince1970)), kept.contents.validity)
    let least = min(60, (life.upperBound - life.lowerBound) / 3)
    let isEnough = kept.isValid(at: now) && life.upperBound - now > least
    let isForThem =
      options.principal.isEmpty || Set(kept.contents.principals) == Set(options.principal)
    return isEnough && isForThem ? kept : nil
  }

  /// Signs in, and keeps the session so that later certificates need no questions while it lasts.
  private func signIn(by journey: String, _ person: Person) async throws -> String {
    let player = try options.device.player(at: server, for: options.account, secrets: person.secrets)
    let token = try await player.token(by: journey)
    _ = try await server.keepSession(token, of: options.account ?? "")
    return token
  }

  /// Requests a certificate under a lock, so that parallel commands ask the server only once.
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
      // These count even if another authority signed them: a server that presents a new authority must not certify the key for other
      // accounts.
      let earlier = person == nil ? try certificates.certificate(of: key) : nil
      let certificate = try issued(answer, by: authority, known: earlier?.contents.principals)
      try certificates.keep(certificate, of: key)
      return certificate
    }
  }

  /// The error for a refusal: ``SignInAgain`` if signing in again could change it.
  private func again(_ answer: JSONValue, _ refusal: CommandFailure) -> any Error {
    let detail = answer["detail"]
    guard refusal.code == .refused || refusal.code == .forbidden && detail?["authLevel"] != nil else {
      return refusal
    }
    return SignInAgain(refusal: refusal, journey: detail?["journey"]?.stringValue)
  }

  // MARK: Attestation

  /// The key, unlocked so that its hardware can attest it; `nil` if the realm requires no attestation.
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
    // Never the sign-in's: a PIN that is tried on another key costs that key a try.
    if let given = person?.keyPIN { return given }
    guard
      let typed = try await HiddenPrompt.ask(
        "PIN of key \(key.name), so that the chip attests it: ", option: SSHLogin.keyPINOption)
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
