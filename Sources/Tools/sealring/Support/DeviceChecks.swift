import CommandSettings
import DeviceKeys
import DeviceKeysPKCS11
import DeviceKeysTPM
import Foundation
import Operations
import PingBinding
import PrivateFiles
import ProductVersion
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM

/// The checks of this device.
struct DeviceChecks {
  let server: ServerOptions
  let chip: ChipOptions

  func all() async -> [HealthCheck] {
    var checks = [settings, stateFolder, await storedKeys()] + (await tpm())
    if let token = await token() { checks.append(token) }
    #if os(Linux)
      checks.append(await fingerprintReader())
      checks.append(pamService)
    #endif
    return checks + (await reachability())
  }

  private var settings: HealthCheck {
    let check = HealthCheck.Subject("settings", "settings")
    do {
      let settings = try CurrentSettings.settings()
      let profile = settings.profile.map { ", profile \($0.text)" } ?? ""
      let file = CurrentSettings.files.user.path(percentEncoded: false)
      let isThere = FileManager.default.fileExists(atPath: file)
      return check(.ok, (isThere ? file : "no file of your own") + profile)
    } catch {
      return check(
        .failed, "\(error)",
        advice: "Correct the file (sealring config path), or the variable. Until then commands do not start.")
    }
  }

  private var stateFolder: HealthCheck {
    let check = HealthCheck.Subject("stateFolder", "state folder")
    let path = ClientHome.standard.directory.path
    return FileManager.default.fileExists(atPath: path)
      ? .rights(check, of: path, isFolder: true)
      : check(.absent, "\(path) is created when something is first stored")
  }

  private func storedKeys() async -> HealthCheck {
    let check = HealthCheck.Subject("keys", "stored keys")
    do {
      let keys = try await BindingModule.getAllKeys()
      return check(.ok, keys.count == 1 ? "1 key" : "\(keys.count) keys")
    } catch {
      return check(
        .failed, error.localizedDescription,
        advice: "Restore the state folder from a backup, or move it away and bind the device again.")
    }
  }

  /// The check of the chip, and one of keys that it does not know, if there are any.
  private func tpm() async -> [HealthCheck] {
    let check = HealthCheck.Subject("tpm", "TPM")
    do {
      let folders = ["keys", SSHCommand.folder, "pam", PasskeyPlace.servedKeys]
      let stores = try folders.map { (folder: $0, store: try chip.chip(in: $0)) }
      var count = 0
      for (_, store) in stores { count += (try? await store.readableKeys().keys.count) ?? 0 }
      let checks = [try await tpm(check, stores[0].store, keys: count)]
      // A chip that does not answer is asked once.
      guard let lost = try? await lostKeys(in: stores), !lost.isEmpty else { return checks }
      return checks + [
        HealthCheck.Subject("tpmKeys", "keys of the TPM")(
          .warning,
          "made in another TPM, or before this one was cleared: \(lost.joined(separator: ", ")) of \(ClientHome.standard.directory.path)",
          advice:
            "They do not work in this one. If theirs is still here, name it with --tcti; else bind the device again, or make new keys, and delete these: sealring keys delete, sealring ssh key remove."
        )
      ]
    } catch {
      return [check(.failed, "\(error)", advice: "Check --tcti and SEALRING_TCTI.")]
    }
  }

  /// How many keys of each folder the chip does not know, for the folders that have some.
  private func lostKeys(in stores: [(folder: String, store: TPMKeyStore)]) async throws -> [String] {
    var lost: [String] = []
    for (folder, store) in stores {
      let count = try await store.lostKeys().count
      if count > 0 { lost.append("\(count) in \(folder)") }
    }
    return lost
  }

  /// - Parameter count: The number of keys on this device that are in a TPM.
  private func tpm(_ check: HealthCheck.Subject, _ store: TPMKeyStore, keys count: Int) async throws
    -> HealthCheck
  {
    switch await store.availability() {
    case .available:
      guard let tries = try await store.chipTries(), tries.left == 0 else {
        return check(.ok, "keys can be made and used in it")
      }
      return check(.failed, "keys with a PIN cannot be used now", advice: tries.sentence)
    case .absent(let reason) where count == 0: return check(.absent, reason)
    case .absent(let reason):
      return check(
        .failed, reason,
        advice: "\(count == 1 ? "1 key" : "\(count) keys") of this device cannot be used without it.")
    case .unavailable(let reason):
      return check(.failed, reason, advice: "docs/tpm.md has more, also how to grant access to it.")
    }
  }

  /// The check of the PKCS#11 token; `nil` when no module is named.
  private func token() async -> HealthCheck? {
    let check = HealthCheck.Subject("pkcs11", "PKCS#11 token")
    do {
      guard let token = try await chip.tokens().token(ofKey: nil) else { return nil }
      let text = printable(token.text)
      if let tries = token.pinTries { return check(.warning, text, advice: tries.sentence) }
      return token.isSoftware
        ? check(.warning, text, advice: "It is a program that keeps keys in files: for tests only.")
        : check(.ok, text)
    } catch {
      return check(.failed, error.localizedDescription, advice: "See docs/pkcs11.md.")
    }
  }

  #if os(Linux)
    private func fingerprintReader() async -> HealthCheck {
      let check = HealthCheck.Subject("fingerprint", "fingerprint reader")
      do {
        switch try await FprintdVerifier().availability() {
        case .available: return check(.ok, "ready, with enrolled fingers")
        case .noReader(let reason): return check(.absent, reason)
        case .notEnrolled(let advice):
          return check(
            .warning, "no finger is enrolled",
            advice: sentence(advice.prefix(1).uppercased() + advice.dropFirst()))
        }
      } catch {
        return check(
          .warning, error.localizedDescription,
          advice: "Check that fprintd runs; docs/user-verification.md has more.")
      }
    }

    private var pamService: HealthCheck {
      let check = HealthCheck.Subject("pam", "PAM service")
      return PAMVerifier().isConfigured
        ? check(.ok, "the service sealring is there")
        : check(
          .absent, "there is no /etc/pam.d/sealring",
          advice: "Needed only where the login password unlocks keys: docs/user-verification.md has the file."
        )
    }
  #endif

  private func reachability() async -> [HealthCheck] {
    let (check, address) = (HealthCheck.Subject("server", "server"), server.baseAddress)
    do {
      let probe = try await ServerProbe.ask(server)
      let version = probe.version ?? "unknown"
      return [
        check(.ok, "\(address) answers, version \(version) (here \(ProductVersion.text))"), tls, clock(probe),
      ]
    } catch {
      return [
        check(
          .failed, "\(error)",
          advice: "Start it with `sealring serve`, or name another with --server or `sealring profile use`.")
      ]
    }
  }

  private var tls: HealthCheck {
    let (check, address) = (HealthCheck.Subject("tls", "TLS"), server.baseAddress)
    if server.server.hasPrefix("https:") {
      return check(.ok, "the server's certificate is checked for its name and its issuer")
    }
    return server.allowHTTP
      ? check(
        .warning, "\(address) is not encrypted",
        advice: "Only for tests: anyone on the network can read passwords.")
      : check(.absent, "\(address) is on this machine, and not encrypted")
  }

  private func clock(_ probe: ServerProbe) -> HealthCheck {
    let check = HealthCheck.Subject("clock", "clock")
    let difference = abs(probe.clockDifference ?? 0)
    guard difference > ServerProbe.exactness else { return check(.ok, probe.clockText) }
    let isHarmful = difference >= ServerProbe.harmfulDifference
    return check(
      isHarmful ? .failed : .warning, "the server's is \(probe.clockText)",
      advice: isHarmful
        ? "Signatures are refused when the clocks differ by more than a minute. Synchronise them, for example with systemd-timesyncd."
        : "Synchronise the clocks: beyond a minute, signatures are refused.")
  }
}
