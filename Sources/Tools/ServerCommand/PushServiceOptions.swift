import ArgumentParser
import Foundation
import PushTransports
import Assembly

/// The push services that a server uses.
struct PushServiceOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Apple's key for push notifications, AuthKey_….p8. Needs the three options below.", valueName: "file"),
    completion: .file())
  var apnsKey: String?

  @Option(help: ArgumentHelp("The key's id, 10 letters and digits.", valueName: "id"))
  var apnsKeyID: String?

  @Option(help: ArgumentHelp("The team's id, 10 letters and digits.", valueName: "id"))
  var apnsTeamID: String?

  @Option(help: ArgumentHelp("The app's bundle id.", valueName: "bundle-id"))
  var apnsTopic: String?

  @Flag(help: "Try device tokens in Apple's sandbox first, for apps under development.")
  var apnsSandbox = false

  @Option(
    help: ArgumentHelp(
      "The server's key for Web Push and UnifiedPush (VAPID, P-256 in PEM); created if the file does not exist.",
      valueName: "file"), completion: .file())
  var webpushKey: String?

  @Option(
    help: ArgumentHelp(
      "Where push services reach you: mailto:you@example.com or https://…", valueName: "address"))
  var webpushContact: String?

  @Flag(help: "Accept Web Push endpoints in private networks, for push services of your own.")
  var webpushAllowPrivate = false

  @Flag(help: "Accept Web Push endpoints over plain HTTP on this machine, for tests.")
  var webpushAllowLoopbackHTTP = false

  func validate() throws {
    let others = [apnsKeyID, apnsTeamID, apnsTopic]
    if apnsKey == nil, others.contains(where: { $0 != nil }) || apnsSandbox {
      throw ValidationError("The options for APNs need --apns-key FILE.")
    }
    if apnsKey != nil, others.contains(where: { $0 == nil }) {
      throw ValidationError("--apns-key needs --apns-key-id, --apns-team-id and --apns-topic beside it.")
    }
    guard (webpushKey == nil) == (webpushContact == nil) else {
      throw ValidationError("--webpush-key and --webpush-contact must be given together.")
    }
    if webpushKey == nil, webpushAllowPrivate || webpushAllowLoopbackHTTP {
      throw ValidationError("The options for Web Push need --webpush-key FILE.")
    }
  }

  /// Longest accepted key file, in bytes.
  private static let maximumBytes = 16 << 10

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.push = try self.configuration()
  }

  /// - Throws: `CommandFailure`, which names the file or the option.
  func configuration() throws -> PushServicesConfiguration {
    var configuration = PushServicesConfiguration()
    do {
      if let apnsKey, let apnsKeyID, let apnsTeamID, let apnsTopic {
        let pem = String(decoding: try GivenFile.bytes(apnsKey, limit: Self.maximumBytes), as: UTF8.self)
        configuration.apns = try APNsConfiguration(
          pem: pem, keyID: apnsKeyID, teamID: apnsTeamID, topic: apnsTopic,
          environment: apnsSandbox ? .sandbox : .production)
      }
      if let webpushKey, let webpushContact {
        var webPush = try WebPushConfiguration(
          key: try VAPIDKeyFile.key(at: URL(filePath: webpushKey)), contact: webpushContact)
        webPush.allowsPrivateAddresses = webpushAllowPrivate
        webPush.allowsLoopbackHTTP = webpushAllowLoopbackHTTP
        configuration.webPush = webPush
      }
    } catch let error as PushConfigurationError {
      throw CommandFailure(error.description, code: .invalid)
    }
    return configuration
  }
}
