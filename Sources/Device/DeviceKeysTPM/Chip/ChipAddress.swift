internal import Bytes
internal import DeviceKeys
internal import Foundation

/// The address of a chip in tpm2-tss's notation (`name:configuration`, a TCTI), limited to the kinds that are for chips.
///
/// tpm2-tss accepts more: it runs programs (`cmd:…`), opens any library as a transport, and writes the traffic into files (`pcap:…`). An
/// address may come from a settings file or the environment, where somebody else may have put it, so these kinds are refused.
struct ChipAddress: Sendable, Hashable {
  /// The address as tpm2-tss reads it.
  let text: String

  /// The kinds, and the form of what may follow.
  static let forms =
    "device:/dev/tpmrm0, tabrmd, tabrmd:bus_type=session, swtpm:host=127.0.0.1,port=2321, or mssim:host=127.0.0.1,port=2321"

  /// The longest address in bytes.
  private static let longest = 300

  /// - Throws: ``DeviceKeyError/unsupported(_:)`` for another kind, and for arguments that are not of the kind's form.
  init(_ text: String) throws(DeviceKeyError) {
    guard text.utf8.count <= Self.longest, Self.isOfAForm(text) else {
      throw .unsupported(
        "'\(String(text.onOneLine.prefix(Self.longest)))' does not name a TPM: take \(Self.forms).")
    }
    self.text = text
  }

  /// The device file of the chip, as in `device:/dev/tpmrm0`; `nil` for other ways to a chip.
  var deviceFile: String? {
    if text == "device" { return "/dev/tpm0" }
    return text.hasPrefix("device:") ? String(text.dropFirst("device:".count)) : nil
  }

  private static func isOfAForm(_ text: String) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let arguments = parts.count == 2 ? parts[1] : nil
    switch parts[0] {
    case "device": return arguments.map(isPath) ?? true
    case "tabrmd": return hasSettings(arguments, ["bus_name": isBusName, "bus_type": isBusType])
    case "swtpm", "mssim": return hasSettings(arguments, ["host": isHost, "port": isPort])
    default: return false
    }
  }

  private static func hasSettings(_ text: Substring?, _ known: [Substring: (Substring) -> Bool]) -> Bool {
    guard let text, !text.isEmpty else { return true }
    var seen = Set<Substring>()
    return text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { setting in
      let pair = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return pair.count == 2 && seen.insert(pair[0]).inserted && known[pair[0]]?(pair[1]) == true
    }
  }

  private static func isPath(_ text: Substring) -> Bool {
    text.hasPrefix("/") && has(text, only: "/._-") && !text.split(separator: "/").contains("..")
  }

  private static func isHost(_ text: Substring) -> Bool { !text.hasPrefix("-") && has(text, only: ".-:") }
  private static func isBusName(_ text: Substring) -> Bool { has(text, only: "._-") }
  private static func isBusType(_ text: Substring) -> Bool { text == "system" || text == "session" }

  private static func isPort(_ text: Substring) -> Bool {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text) else { return false }
    return port > 0
  }

  /// Whether `text` is not empty and has only letters, digits and `marks`.
  private static func has(_ text: Substring, only marks: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: marks.utf8.contains(byte)
        }
      }
  }
}
