import Foundation
import GeoClueLocation
import PingDeviceProfile
import TerminalPrompts

/// Answers the server's request for a device profile, and asks the user whether to include the location.
struct DeviceProfileAnswers: LocationConsent {
  /// The requesting server; `nil` for commands that do not name it.
  var server: ServerOptions?
  /// Whether the user has agreed beforehand, with --location.
  var isLocationAllowed = false

  /// Collects the requested data.
  func answer(_ callback: DeviceProfileCallback) async throws {
    let result = await callback.collect { config in
      config.logger = RemarkLogger()
      #if os(Linux)
        config.collectors.append(
          LocationCollector(
            provider: GeoClueLocationProvider(desktopID: "sealring", accuracy: .exact), consent: self))
      #endif
    }
    switch result {
    case .success(let profile):
      let names = (profile["metadata"] as? [String: any Sendable] ?? [:]).keys.sorted()
      let hasLocation = profile["location"] != nil
      if callback.location, !hasLocation { Output.remark("The location is not sent.") }
      Output.remark(
        "Sent about this device: \((["identifier"] + names + (hasLocation ? ["location"] : [])).joined(separator: ", "))."
      )
    case .failure(let error):
      try Task.checkCancellation()
      throw CommandFailure(
        "The server asks for a description of this device, which cannot be collected: \(sentence(error.localizedDescription))"
          + " Check that $SEALRING_HOME can be written.", code: PlainReason.code(of: error))
    }
  }

  func allowsLocation(message: String) async -> Bool {
    if isLocationAllowed {
      Output.remark("The location may be sent: --location agrees to it.")
      return true
    }
    let place = server.map {
      TerminalText.rows([("Server", TerminalText.address($0.baseAddress)), ("Realm", $0.realm)])
    }
    let words = message.isEmpty ? "" : "It says:\n" + TerminalText.quoted([message])
    switch await Terminal.controlling.askYesNo(
      "The server asks where this device is.\n\(words)\(place ?? "")Send it the location")
    {
    case .yes: return true
    case .no, .cancelled: return false
    case .unavailable(let reason):
      Output.remark("Nobody can be asked about the location: \(reason). Agree with --location.")
      return false
    }
  }
}
